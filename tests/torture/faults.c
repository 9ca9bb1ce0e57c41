/* Faults on demand: the process dies, or a call fails, at the n-th call that changes files below one folder.
 *
 * Preloaded before libc. arm(folder, at, error, half): from now on calls are counted; at the at-th one the process
 * kills itself (error == 0) or the call fails with that errno. With half, a write first puts half of its bytes down.
 * calls() says how many were counted.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static char watched[PATH_MAX];
static long counted, target, fault;
static int halve;

void arm(const char *folder, long at, long error, int half) {
    snprintf(watched, sizeof watched, "%s", folder);
    counted = 0;
    target = at;
    fault = error;
    halve = half;
}

long calls(void) { return counted; }

static int inside(const char *path) {
    char whole[PATH_MAX];
    if (!watched[0] || !path) return 0;
    if (path[0] != '/') {
        char folder[PATH_MAX];
        if (!getcwd(folder, sizeof folder)) return 0;
        if ((size_t)snprintf(whole, sizeof whole, "%s/%s", folder, path) >= sizeof whole) return 0;
        path = whole;
    }
    return strncmp(path, watched, strlen(watched)) == 0;
}

static int inside_fd(int fd) {
    char link[64], path[PATH_MAX];
    if (!watched[0]) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, path, sizeof path - 1);
    if (size < 0) return 0;
    path[size] = 0;
    return inside(path);
}

/* 0: go on; 1: fail with errno set. Does not return where the process shall die. */
static int due(int within) {
    if (!within || ++counted != target) return 0;
    if (!fault) {
        kill(getpid(), SIGKILL);
        pause();
    }
    errno = (int)fault;
    return 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void *data, size_t size) {
    int within = inside_fd(fd);
    if (within && halve && counted + 1 == target && size > 1) {
        REAL(write)(fd, data, size / 2);
    }
    if (due(within)) return -1;
    return REAL(write)(fd, data, size);
}

int fsync(int fd) { return due(inside_fd(fd)) ? -1 : REAL(fsync)(fd); }
int fdatasync(int fd) { return due(inside_fd(fd)) ? -1 : REAL(fdatasync)(fd); }
int ftruncate(int fd, off_t size) { return due(inside_fd(fd)) ? -1 : REAL(ftruncate)(fd, size); }
int ftruncate64(int fd, off64_t size) { return due(inside_fd(fd)) ? -1 : REAL(ftruncate64)(fd, size); }
int truncate(const char *path, off_t size) { return due(inside(path)) ? -1 : REAL(truncate)(path, size); }
int truncate64(const char *path, off64_t size) { return due(inside(path)) ? -1 : REAL(truncate64)(path, size); }
int fchmod(int fd, mode_t mode) { return due(inside_fd(fd)) ? -1 : REAL(fchmod)(fd, mode); }
int rename(const char *from, const char *to) { return due(inside(to)) ? -1 : REAL(rename)(from, to); }
int unlink(const char *path) { return due(inside(path)) ? -1 : REAL(unlink)(path); }
int mkdir(const char *path, mode_t mode) { return due(inside(path)) ? -1 : REAL(mkdir)(path, mode); }

int open64(const char *path, int flags, ...) {
    mode_t mode = 0;
    if (flags & O_CREAT) {
        va_list rest;
        va_start(rest, flags);
        mode = va_arg(rest, mode_t);
        va_end(rest);
        if (due(inside(path))) return -1;
    }
    return REAL(open64)(path, flags, mode);
}

int open(const char *path, int flags, ...) {
    mode_t mode = 0;
    if (flags & O_CREAT) {
        va_list rest;
        va_start(rest, flags);
        mode = va_arg(rest, mode_t);
        va_end(rest);
        if (due(inside(path))) return -1;
    }
    return REAL(open)(path, flags, mode);
}
