/* Sets the clock of a process to a day later: preloaded, it stands before the C
   library's functions. Clocks that count from the start of the machine stay. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define DAY 86400

int clock_gettime(clockid_t clock, struct timespec *t)
{
	int failed = syscall(SYS_clock_gettime, clock, t);
	if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
		t->tv_sec += DAY;
	return failed;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
	int failed = syscall(SYS_gettimeofday, t, zone);
	if (!failed && t)
		t->tv_sec += DAY;
	return failed;
}

time_t time(time_t *t)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	if (t)
		*t = now.tv_sec;
	return now.tv_sec;
}
