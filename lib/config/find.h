/* SPDX-License-Identifier: MIT */
/* These functions find the configuration file, and check whether it can be trusted. */
#ifndef RS_CONFIG_FIND_H
#define RS_CONFIG_FIND_H

#include "config/yaml.h"

#define RS_CONFIG_FILE "regionstat.yaml"

/* The origin of the configuration file. */
enum rs_config_source {
	RS_CONFIG_NONE, /* there is no configuration file */
	RS_CONFIG_TOLD, /* the user named it with -c */
	RS_CONFIG_HERE, /* the working directory, where any user could have put it */
	RS_CONFIG_HOME, /* the user's configuration directory */
};

struct rs_config_file {
	enum rs_config_source source;
	struct rs_yaml yaml; /* empty if source is RS_CONFIG_NONE */
	struct rs_arena arena; /* owns the contents of yaml */
	struct rs_err notice; /* files that exist but are not trusted, with the reasons; or "" */
};

/* Fill path with the path of a file in $XDG_CONFIG_HOME/regionstat, or else in
 * ~/.config/regionstat. Return false if the directory is unknown or path is too small. */
bool rs_config_home_path(char *path, size_t bytes, const char *name);

/*
 * Load the configuration file. If named is not NULL, the user named this file. Otherwise it is
 * regionstat.yaml in the working directory. If that does not exist, it is regionstat/config.yaml in
 * $XDG_CONFIG_HOME or ~/.config (XDG Base Directory Specification).
 *
 * A file that the user did not name must be regular, and only root or the effective user could have
 * written it (base/owner.h). In the working directory it must not be a symbolic link. Files that
 * fail these checks are skipped, and file->notice says why. A directory that this user has no
 * permission to search counts as having no file.
 *
 * Fill file; the caller releases its arena. Return false and set err if the file cannot be read or
 * is not valid (config/yaml.h).
 */
bool rs_config_file_load(struct rs_config_file *file, const char *named, struct rs_err *err);

#endif
