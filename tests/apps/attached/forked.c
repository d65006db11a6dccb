/* SPDX-License-Identifier: MIT */
/*
 * forked: a child that is forked while its parent loads the runtime. The program waits until regionstat has
 * attached, and then stands in for the thread that loads: no marker of the parent has run yet. The child
 * makes 100 calls and says whether its markers are off. Then the parent makes calls for 200 ms.
 */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <regionstat.h>

int main(void)
{
	int status = 1;
	puts("ready");
	fflush(stdout);
	while (!regionstat_table_1_)
		usleep(100);
	regionstat_request_1_.taken_by_ = (unsigned int)getpid();
	pid_t child = fork();
	if (child == 0) {
		for (int i = 0; i < 100; i++) {
			REGIONSTAT_BEGIN("child");
			REGIONSTAT_END("child");
		}
		_exit(regionstat_table_1_ || regionstat_request_1_.taken_by_);
	}
	waitpid(child, &status, 0);
	puts(status == 0 ? "off" : "on");
	fflush(stdout);
	regionstat_request_1_.taken_by_ = 0;
	for (int i = 0; i < 200; i++) {
		REGIONSTAT_BEGIN("parent");
		REGIONSTAT_END("parent");
		usleep(1000);
	}
	return 0;
}
