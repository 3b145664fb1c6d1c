/* Self-test of a bundle, or heights for forces from elsewhere.
 *
 *   cc -std=c99 -O2 -o pfem_run pfem_run.c pfem.c -lm
 *   ./pfem_run pfem.bin                                            the stored self-test, both strategies; 0 if it passes
 *   ./pfem_run pfem.bin STRATEGY DELAY RELAXATION RAMP HARMONICS DROPPER_HARMONICS
 *                                                                  doubles of this machine: forces in, heights out
 *   ./pfem_run pfem.bin time STEPS                                 microseconds a step, every dropper slack at times
 */
#define _POSIX_C_SOURCE 200112L
#include "pfem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int complain(void)
{
    fprintf(stderr, "pfem_run: %s\n", pfem_error());
    return 2;
}

static int self_test(const char *path)
{
    int failed = 0;
    const pfem_facts *about = pfem_about();
    if (pfem_load(path, 0, 0) || pfem_load(path, about->self_test_harmonics, about->self_test_dropper_harmonics))
        return complain();
    for (int strategy = 0; strategy < 2; strategy++) {
        double difference = pfem_self_test(strategy);
        int good = difference <= pfem_about()->self_test_tolerance;
        printf("self-test %s: largest relative difference %.3e, %s\n", strategy ? "span by span" : "step by step",
               difference, good ? "passed" : "FAILED");
        failed |= !good;
    }
    puts(failed ? "self-test FAILED: these are not the heights that the bundle holds" : "self-test passed");
    return failed;
}

static int by_time(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

static int time_steps(const char *path, long steps)
{
    static double taken[1000000];
    const pfem_settings settings = {PFEM_STEP_BY_STEP, 8, 1.0, 0};
    double height, sum = 0.0;
    if (steps < 1 || steps > 1000000) steps = 60000;
    if (pfem_load(path, 0, 0) || pfem_start(&settings)) return complain();
    for (long i = 0; i < steps; i++) {
        struct timespec a, b;
        double force = pfem_about()->self_test_force[i % PFEM_SELF_TEST];
        clock_gettime(CLOCK_MONOTONIC, &a);
        pfem_step(force, &height);
        clock_gettime(CLOCK_MONOTONIC, &b);
        taken[i] = 1e6 * (double)(b.tv_sec - a.tv_sec) + 1e-3 * (double)(b.tv_nsec - a.tv_nsec);
        sum += taken[i];
    }
    qsort(taken, (size_t)steps, sizeof taken[0], by_time);
    printf("mean %.2f us, median %.2f us, p99 %.2f us, p99.9 %.2f us, largest %.2f us over %ld steps\n", sum / (double)steps,
           taken[steps / 2], taken[steps - 1 - steps / 100], taken[steps - 1 - steps / 1000], taken[steps - 1], steps);
    return 0;
}

int main(int count, char **text)
{
    double force, height;
    pfem_settings settings;
    if (count == 2) return self_test(text[1]);
    if (count == 4 && !strcmp(text[2], "time")) return time_steps(text[1], strtol(text[3], NULL, 10));
    if (count != 8) {
        fprintf(stderr, "usage: pfem_run pfem.bin [STRATEGY DELAY RELAXATION RAMP HARMONICS DROPPER_HARMONICS | time STEPS]\n");
        return 2;
    }
    settings.strategy = atoi(text[2]);
    settings.delay = atoi(text[3]);
    settings.relaxation = strtod(text[4], NULL);
    settings.ramp_steps = strtol(text[5], NULL, 10);
    if (pfem_load(text[1], atoi(text[6]), atoi(text[7])) || pfem_start(&settings)) return complain();
    while (fread(&force, sizeof force, 1, stdin) == 1) {
        if (pfem_step(force, &height)) {
            fprintf(stderr, "pfem_run: a force must be finite and at most 1e5 N: got %g\n", force);
            return 1;
        }
        fwrite(&height, sizeof height, 1, stdout);
    }
    return 0;
}
