/* SPDX-License-Identifier: MIT */
/*
 * AMDProfileController.h in place of the header of AMD uProf's profile control. Programs that call
 * that can be built without uProf, and measured by regionstat(1). Its names and prototypes are
 * those that AMD documents (uProf User Guide, 57368, "CPU Profile Control APIs"). Link
 * libAMDProfileController, shared or static, of regionstat.
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

/* Go on, and stop, as the program is measured. True: done, or there is nobody to do it. In C the
 * argument has to be given: AMD_PROFILE_CPU. */
extern bool amdProfileResume(unsigned int reserved AMDPROFILE_DEFAULT_(AMD_PROFILE_CPU));
extern bool amdProfilePause(unsigned int reserved AMDPROFILE_DEFAULT_(AMD_PROFILE_CPU));

/* The same of uProf 5.0 and later, which return when it is done; here the others do so, too. */
extern bool amdProfileStrictResume(unsigned int reserved AMDPROFILE_DEFAULT_(AMD_PROFILE_CPU));
extern bool amdProfileStrictPause(unsigned int reserved AMDPROFILE_DEFAULT_(AMD_PROFILE_CPU));

/* The error of the latest of these: 0, none. */
extern int amdGetLastProfileError(void);

#undef AMDPROFILE_DEFAULT_

#ifdef __cplusplus
}
#endif

#endif /* AMDPROFILECONTROLLER_H */
