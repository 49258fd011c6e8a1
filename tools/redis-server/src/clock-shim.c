/* Loaded into a server with LD_PRELOAD: its clock on the wall is ahead by the number of seconds in a file that is mapped into memory.
 * The monotonic clock, by which it measures its timeouts, is left alone. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile long *ahead;
static const long none = 0;

static long seconds_ahead(void) {
  if (ahead == NULL) {
    const char *name = getenv("SLUICE_CLOCK_AHEAD");
    int file = name == NULL ? -1 : open(name, O_RDONLY);
    void *page = file < 0 ? MAP_FAILED : mmap(NULL, sizeof(long), PROT_READ, MAP_SHARED, file, 0);
    ahead = page == MAP_FAILED ? &none : page;
  }
  return *ahead;
}

int clock_gettime(clockid_t id, struct timespec *time) {
  int result = (int)syscall(SYS_clock_gettime, id, time);
  if (result == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) time->tv_sec += seconds_ahead();
  return result;
}

int gettimeofday(struct timeval *time, void *zone) {
  struct timespec now;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &now);
  if (time != NULL) {
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
  }
  return 0;
}

time_t time(time_t *into) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (into != NULL) *into = now.tv_sec;
  return now.tv_sec;
}
