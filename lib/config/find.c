/* SPDX-License-Identifier: MIT */
/*
 * This file finds and loads the configuration file: the one of the -c option, or one in the working
 * directory or in the user's configuration directory. Any user could have written a regionstat.yaml
 * in the working directory. So if the user did not name the file, its owner and mode are checked
 * before it is read.
 */
#include "config/find.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/owner.h"
#include "base/text.h"

/* Return true if a file exists. If this user has no permission to search its directory, such as
 * another user's $HOME, the file counts as missing. */
static bool exists(const char *path)
{
	struct stat status;
	return lstat(path, &status) == 0;
}

static void add_notice(struct rs_config_file *file, const char *path, const char *doubt)
{
	const struct rs_text_shown shown = rs_text_shown(path);
	if (!file->notice.text[0])
		rs_err_set(&file->notice, "regionstat ignores the settings in '%s': %s", shown.text,
			doubt);
	else
		rs_err_add_line(&file->notice, "and those in '%s': %s", shown.text, doubt);
	rs_err_add_line(&file->notice,
		"try: -c %s to use these settings, or -c /dev/null for no settings", shown.text);
}

/* Load the file at path if it exists and is trusted. Otherwise do not change file->source, which is
 * RS_CONFIG_NONE. Return false and set err if the file is trusted but invalid. */
static bool load_found(struct rs_config_file *file, const char *path, enum rs_config_source source,
	struct rs_err *err)
{
	/* O_NONBLOCK: opening a named pipe must not wait. The kind of file is checked
	 * afterwards. */
	int flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
	int fd = open(path, source == RS_CONFIG_HERE ? flags | O_NOFOLLOW : flags);
	if (fd < 0) {
		int number = errno;
		if (errno == ELOOP)
			add_notice(file, path, "it is a symbolic link");
		else if (errno != ENOENT && errno != ENOTDIR && exists(path))
			add_notice(file, path, strerror(number));
		return true;
	}
	struct stat status;
	const char *doubt = fstat(fd, &status) == 0 ? rs_owner_find_doubt(&status, 0)
						    : strerror(errno);
	bool done = true;
	if (doubt) {
		add_notice(file, path, doubt);
	} else {
		done = rs_yaml_load_fd(&file->yaml, fd, path, err);
		file->source = done ? source : RS_CONFIG_NONE;
	}
	close(fd);
	return done;
}

bool rs_config_home_path(char *path, size_t bytes, const char *name)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	int length = -1;
	/* The XDG Base Directory Specification says to ignore relative paths. */
	if (config && config[0] == '/')
		length = snprintf(path, bytes, "%s/regionstat/%s", config, name);
	else if (home && home[0] == '/')
		length = snprintf(path, bytes, "%s/.config/regionstat/%s", home, name);
	return length > 0 && (size_t)length < bytes;
}

bool rs_config_file_load(struct rs_config_file *file, const char *named, struct rs_err *err)
{
	char path[PATH_MAX];
	*file = (struct rs_config_file){.source = RS_CONFIG_NONE, .yaml.arena = &file->arena};
	if (named) {
		file->source = RS_CONFIG_TOLD;
		return rs_yaml_load_file(&file->yaml, named, err);
	}
	if (!load_found(file, RS_CONFIG_FILE, RS_CONFIG_HERE, err))
		return false;
	if (file->source != RS_CONFIG_NONE ||
		!rs_config_home_path(path, sizeof(path), "config.yaml"))
		return true;
	return load_found(file, path, RS_CONFIG_HOME, err);
}
