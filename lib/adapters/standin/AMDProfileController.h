/* SPDX-License-Identifier: MIT */
/*
 * AMDProfileController.h of regionstat, which replaces the header of AMD uProf's profile control.
 * Programs that use it can be built without uProf and measured by regionstat(1). Names and
 * prototypes are those that AMD documents (uProf User Guide, 57368, "CPU Profile Control APIs").
 * Link regionstat's libAMDProfileController, shared or static.
 */
#ifndef AMDPROFILECONTROLLER_H
#define AMDPROFILECONTROLLER_H

#ifdef __cplusplus
#define AMDPROFILE_DEFAULT_(value) = value
extern "C" {
#else
#include <stdbool.h>
#define AMDPROFILE_DEFAULT_(value)
#endif

#define AMDPROFILE_API_CALL

typedef enum { AMD_PROFILE_CPU = 0x1 } amdProfileMode;

/* Resume or pause measuring. Return true, even if the program is not measured. C programs must pass
 * the argument AMD_PROFILE_CPU. */
extern bool amdProfileResume(unsigned int reserved AMDPROFILE_DEFAULT_(AMD_PROFILE_CPU));
extern bool amdProfilePause(unsigned int reserved AMDPROFILE_DEFAULT_(AMD_PROFILE_CPU));

/* The same functions of uProf 5.0 and later, which return when they have taken effect. In this
 * library the functions above do so too. */
extern bool amdProfileStrictResume(unsigned int reserved AMDPROFILE_DEFAULT_(AMD_PROFILE_CPU));
extern bool amdProfileStrictPause(unsigned int reserved AMDPROFILE_DEFAULT_(AMD_PROFILE_CPU));

/* Return the error of the last of these calls; always 0. */
extern int amdGetLastProfileError(void);

#undef AMDPROFILE_DEFAULT_

#ifdef __cplusplus
}
#endif

#endif /* AMDPROFILECONTROLLER_H */
