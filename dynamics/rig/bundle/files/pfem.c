/* The periodic finite element model of an overhead contact line: see pfem.h and README.md. */
#include "pfem.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define N PFEM_N
#define M PFEM_M
#define ND PFEM_DROPPERS
#define ACTIVE (3 * ND)

static double z0[N], I_cc[N][N] /* cause, step */, I_cd[ND][M][N] /* dropper, sample, step */;
static double I_dc[ND][M][N], K_dd[ND][ND][2 * M - 1], F_d[ND], k_d;
/* f_d of sample s stands at M - 1 - s, so that sums with K_dd run through memory in order */
static double f[N], f_d[ND][M], z[N], fresh[N], before[2][N], sent;
static int offset[ND];          /* step of the first sample of each dropper's record */
static int first[ND], last[ND]; /* places of f_d that may differ from zero */
static long k;
static pfem_settings how;
static pfem_facts facts;
static int loaded, started;
static char message[200];

const char *pfem_error(void) { return message; }
const pfem_facts *pfem_about(void) { return &facts; }
double pfem_dropper_force(int dropper, int sample) { return f_d[dropper][M - 1 - sample]; }

static int refuse(const char *sentence, const char *what)
{
    snprintf(message, sizeof message, sentence, what);
    return 1;
}

/* ---- reading: whole numbers and doubles little-endian, whatever this machine is ---- */

static uint32_t crc_table[256];

static void make_crc_table(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int j = 0; j < 8; j++) c = c & 1u ? 0xEDB88320u ^ (c >> 1) : c >> 1;
        crc_table[i] = c;
    }
}

static uint64_t whole(const unsigned char *p, int bytes)
{
    uint64_t x = 0;
    for (int i = bytes - 1; i >= 0; i--) x = x << 8 | p[i];
    return x;
}

static uint32_t checksum(FILE *file, long begin, uint64_t bytes, int *complete)
{
    static unsigned char part[65536];
    uint32_t c = 0xFFFFFFFFu;
    *complete = 0;
    if (fseek(file, begin, SEEK_SET)) return 0;
    while (bytes) {
        size_t want = bytes < sizeof part ? (size_t)bytes : sizeof part, got = fread(part, 1, want, file);
        for (size_t i = 0; i < got; i++) c = crc_table[(c ^ part[i]) & 0xFFu] ^ (c >> 8);
        if (got < want) return 0;
        bytes -= got;
    }
    *complete = 1;
    return c ^ 0xFFFFFFFFu;
}

/* Doubles of one variable, in the file's order; `step` apart in memory. */
static int take(FILE *file, double *into, long count, long step)
{
    static unsigned char part[8 * 4096];
    for (long i = 0; i < count;) {
        long want = count - i < 4096 ? count - i : 4096;
        if (fread(part, 8, (size_t)want, file) != (size_t)want) return 1;
        for (long j = 0; j < want; j++, i++) {
            uint64_t bits = whole(part + 8 * j, 8);
            memcpy(into + i * step, &bits, 8);
        }
    }
    return 0;
}

/* Place the file at a variable whose dimensions (0: none) are as expected. */
static int find(FILE *file, const char *name, long a, long b, long c)
{
    unsigned char entry[64], head[32];
    const uint64_t dims[3] = {(uint64_t)a, (uint64_t)b, (uint64_t)c};
    if (fseek(file, 0, SEEK_SET) || fread(head, 1, 32, file) != 32) return 1;
    for (uint64_t i = 0; i < whole(head + 8, 4); i++) {
        if (fread(entry, 1, 64, file) != 64) return 1;
        if (strncmp((char *)entry, name, 24)) continue;
        for (int d = 0; d < 3; d++)
            if (whole(entry + 32 + 8 * d, 8) != dims[d]) return 1;
        return fseek(file, (long)whole(entry + 56, 8), SEEK_SET);
    }
    return 1;
}

static int read_number(FILE *file, const char *name, double *into)
{
    return find(file, name, 0, 0, 0) || take(file, into, 1, 1);
}

static int read_all(FILE *file)
{
    double number[4], first_step[ND];
    if (find(file, "z0", N, 0, 0) || take(file, z0, N, 1) || find(file, "dropper_force", ND, 0, 0) ||
        take(file, F_d, ND, 1) || find(file, "dropper_offset", ND, 0, 0) || take(file, first_step, ND, 1) ||
        read_number(file, "dropper_stiffness", &k_d) ||
        find(file, "I_dc", ND, M, N) || take(file, &I_dc[0][0][0], (long)ND * M * N, 1) ||
        find(file, "K_dd", ND, ND, 2 * M - 1) || take(file, &K_dd[0][0][0], (long)ND * ND * (2 * M - 1), 1))
        return 1;
    for (int d = 0; d < ND; d++) offset[d] = (int)first_step[d];
    /* causes come first here, so that a change of one force runs through memory in order */
    if (find(file, "I_cc", N, N, 0)) return 1;
    for (int n = 0; n < N; n++)
        if (take(file, &I_cc[0][n], N, N)) return 1;
    if (find(file, "I_cd", N, ND, M)) return 1;
    for (int n = 0; n < N; n++)
        if (take(file, &I_cd[0][0][n], (long)ND * M, N)) return 1;
    if (read_number(file, "speed", &facts.speed) || read_number(file, "dt", &facts.dt) ||
        read_number(file, "span", &facts.span) || read_number(file, "self_test_harmonics", number) ||
        read_number(file, "self_test_delay", number + 1) || read_number(file, "self_test_ramp", number + 2) ||
        read_number(file, "self_test_dropper_kept", number + 3) ||
        read_number(file, "self_test_relaxation", &facts.self_test.relaxation) ||
        read_number(file, "self_test_tolerance", &facts.self_test_tolerance) ||
        find(file, "self_test_force", PFEM_SELF_TEST, 0, 0) ||
        take(file, facts.self_test_force, PFEM_SELF_TEST, 1) ||
        find(file, "self_test_height", 2, PFEM_SELF_TEST, 0) ||
        take(file, facts.self_test_height[0], 2L * PFEM_SELF_TEST, 1))
        return 1;
    facts.self_test_harmonics = (int)number[0];
    facts.self_test_dropper_harmonics = (int)number[3];
    facts.self_test.delay = (int)number[1];
    facts.self_test.ramp_steps = (long)number[2];
    return 0;
}

/* Keep the first harmonics of one function of the step. */
static void keep_harmonics(double *x, int harmonics, const double *c)
{
    static double a[N], b[N];
    for (int h = 0; h < harmonics; h++) {
        a[h] = b[h] = 0.0;
        for (int n = 0, i = 0; n < N; n++, i = (i + h) % N) {
            a[h] += x[n] * c[i];
            b[h] += x[n] * c[N + i];
        }
    }
    for (int n = 0; n < N; n++) x[n] = a[0] / N;
    for (int h = 1; h < harmonics; h++) {
        double twice = 2 * h == N ? 1.0 / N : 2.0 / N; /* the highest one of an even N stands alone */
        for (int n = 0, i = 0; n < N; n++, i = (i + h) % N) x[n] += twice * (a[h] * c[i] + b[h] * c[N + i]);
    }
}

static void filter(int harmonics)
{
    static double c[2 * N];
    for (int i = 0; i < N; i++) {
        c[i] = cos(2.0 * 3.14159265358979323846 * i / N);
        c[N + i] = sin(2.0 * 3.14159265358979323846 * i / N);
    }
    keep_harmonics(z0, harmonics, c);
    for (int n = 0; n < N; n++) keep_harmonics(I_cc[n], harmonics, c);
    for (int d = 0; d < ND; d++)
        for (int s = 0; s < M; s++) keep_harmonics(I_cd[d][s], harmonics, c);
}

/* Keep the frequencies of every dropper's record up to half a harmonic above the last one that is kept. The record is
 * no period: twice its length of zeros stands behind it, so that its ends do not meet. */
static void filter_droppers(int harmonics)
{
    enum { LENGTH = 3 * M };
    static double c[LENGTH], by[M], kept[M][N];
    const double each = 1.0 / (LENGTH * facts.dt), most = (harmonics - 0.5) / (N * facts.dt);
    for (int i = 0; i < LENGTH; i++) c[i] = cos(2.0 * 3.14159265358979323846 * i / LENGTH);
    for (int s = 0; s < M; s++) {
        by[s] = 1.0;
        for (int m = 1; m <= LENGTH / 2 && !(m * each > most); m++)
            by[s] += (2 * m == LENGTH ? 1.0 : 2.0) * c[(long)m * s % LENGTH];
        by[s] /= LENGTH;
    }
    for (int d = 0; d < ND; d++) {
        memset(kept, 0, sizeof kept);
        for (int s = 0; s < M; s++)
            for (int t = 0; t < M; t++) {
                double share = by[s > t ? s - t : t - s];
                for (int n = 0; n < N; n++) kept[s][n] += share * I_dc[d][t][n];
            }
        memcpy(I_dc[d], kept, sizeof kept);
    }
}

int pfem_load(const char *path, int harmonics, int dropper_harmonics)
{
    unsigned char head[32];
    int complete = 0;
    FILE *file;
    loaded = started = 0;
    if (harmonics < 0 || harmonics > N / 2 + 1 || dropper_harmonics < 0 || dropper_harmonics > N / 2 + 1)
        return refuse("harmonics must be 0 or at most N / 2 + 1%s", "");
    file = fopen(path, "rb");
    if (!file) return refuse("%s cannot be opened", path);
    make_crc_table();
    if (fread(head, 1, 32, file) != 32 || memcmp(head, "PFEMBIN2", 8)) {
        fclose(file);
        return refuse("%s is not the raw file of a rig bundle of this version", path);
    }
    uint32_t names = checksum(file, 32, 64 * whole(head + 8, 4), &complete), sum = 0;
    if (complete) sum = checksum(file, (long)whole(head + 12, 4), whole(head + 16, 8), &complete);
    if (!complete || sum != (uint32_t)whole(head + 24, 4) || names != (uint32_t)whole(head + 28, 4)) {
        fclose(file);
        return refuse(complete ? "%s has been altered: its checksum is wrong" : "%s is cut short", path);
    }
    if (sum != PFEM_DATA_CRC) {
        fclose(file);
        return refuse("%s belongs to another bundle than pfem.h", path);
    }
    int failed = read_all(file);
    fclose(file);
    if (failed) return refuse("%s does not hold the variables that pfem.h expects", path);
    if (harmonics) filter(harmonics);
    if (dropper_harmonics) filter_droppers(dropper_harmonics);
    loaded = 1;
    return 0;
}

/* ---- the loop ---- */

int pfem_start(const pfem_settings *settings)
{
    started = 0;
    if (!loaded) return refuse("pfem_load must come first%s", "");
    if (settings->strategy != PFEM_STEP_BY_STEP && settings->strategy != PFEM_SPAN_BY_SPAN)
        return refuse("strategy must be PFEM_STEP_BY_STEP or PFEM_SPAN_BY_SPAN%s", "");
    if (settings->delay < 1 || settings->delay > N) return refuse("delay must be 1 to N steps%s", "");
    if (!(settings->relaxation > 0.0 && settings->relaxation <= 1.0))
        return refuse("relaxation must be above 0 and at most 1%s", "");
    if (settings->ramp_steps < 0) return refuse("ramp_steps must not be negative%s", "");
    how = *settings;
    memset(f, 0, sizeof f);
    memset(f_d, 0, sizeof f_d);
    for (int d = 0; d < ND; d++) first[d] = M, last[d] = -1;
    memcpy(z, z0, sizeof z);
    memcpy(fresh, z0, sizeof z);
    memcpy(before[0], z0, sizeof z);
    memcpy(before[1], z0, sizeof z);
    k = 0;
    sent = 0.0;
    started = 1;
    return 0;
}

static double dot(const double *a, const double *b, int count)
{
    double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
    int i = 0;
    for (; i + 3 < count; i += 4) {
        s0 += a[i] * b[i];
        s1 += a[i + 1] * b[i + 1];
        s2 += a[i + 2] * b[i + 2];
        s3 += a[i + 3] * b[i + 3];
    }
    for (; i < count; i++) s0 += a[i] * b[i];
    return (s0 + s1) + (s2 + s3);
}

static void add(double *to, const double *column, double times)
{
    for (int i = 0; i < N; i++) to[i] += times * column[i];
}

/* Elongation of a dropper at one sample from everything that is on record. */
static double elongation(int d, int s)
{
    double e = dot(I_dc[d][s], f, N);
    for (int j = 0; j < ND; j++)
        if (first[j] <= last[j]) e += dot(K_dd[d][j] + s + first[j], f_d[j] + first[j], last[j] - first[j] + 1);
    return e;
}

/* Slack of the droppers whose record holds this step, implicit in the step itself; then their part in the height. */
static void droppers(int n)
{
    int who[ACTIVE], at[ACTIVE], count = 0;
    double e[ACTIVE], old[ACTIVE];
    for (int period = 1; period >= -1; period--)
        for (int d = 0; d < ND; d++) {
            int s = n - offset[d] + period * N;
            if (s >= 0 && s < M) who[count] = d, at[count++] = s;
        }
    for (int a = 0; a < count; a++) {
        old[a] = f_d[who[a]][M - 1 - at[a]];
        e[a] = elongation(who[a], at[a]);
    }
    for (int sweep = 0; sweep < PFEM_SWEEPS; sweep++)
        for (int a = 0; a < count; a++) {
            int d = who[a], s = at[a];
            double was = f_d[d][M - 1 - s], now = was - (F_d[d] + k_d * e[a] + was) / (1.0 + k_d * K_dd[d][d][M - 1]);
            if (!(now > 0.0)) now = 0.0;
            if (now == was) continue;
            f_d[d][M - 1 - s] = now;
            for (int b = 0; b < count; b++) e[b] += K_dd[who[b]][d][at[b] - s + M - 1] * (now - was);
        }
    for (int a = 0; a < count; a++) {
        int d = who[a], s = at[a];
        double now = f_d[d][M - 1 - s];
        if (now != old[a]) add(z, I_cd[d][s], now - old[a]);
        if (now == 0.0) continue;
        add(fresh, I_cd[d][s], now);
        if (M - 1 - s < first[d]) first[d] = M - 1 - s;
        if (M - 1 - s > last[d]) last[d] = M - 1 - s;
    }
}

/* Every force of the record has been met once: what has been added up is z, free of old rounding. */
static void end_of_block(void)
{
    memcpy(before[0], before[1], sizeof z);
    memcpy(before[1], fresh, sizeof z);
    memcpy(z, fresh, sizeof z);
    memcpy(fresh, z0, sizeof z);
    for (int d = 0; d < ND; d++) {
        while (first[d] <= last[d] && f_d[d][first[d]] == 0.0) first[d]++;
        while (last[d] >= first[d] && f_d[d][last[d]] == 0.0) last[d]--;
        if (last[d] < first[d]) first[d] = M, last[d] = -1;
    }
}

int pfem_step(double force, double *height)
{
    *height = sent;
    if (!started || !(fabs(force) <= 1.0e5)) return 1;
    int n = (int)(k % N), ahead = (int)((k + how.delay) % N);
    double change = how.relaxation * (force - f[n]), ramp = 1.0;
    f[n] += change;
    add(z, I_cc[n], change);
    add(fresh, I_cc[n], f[n]);
    droppers(n);
    if (n == N - 1) end_of_block();
    if (how.strategy == PFEM_STEP_BY_STEP) {
        sent = z[ahead];
    } else {
        double newer = (double)((k + 1) % N) / (N - 1);
        sent = (1.0 - newer) * before[0][ahead] + newer * before[1][ahead];
    }
    if (how.ramp_steps && k + 1 < how.ramp_steps) ramp = (double)(k + 1) / (double)how.ramp_steps;
    sent *= ramp;
    *height = sent;
    k++;
    return 0;
}

double pfem_self_test(int strategy)
{
    double worst = 0.0, largest = 0.0, height = 0.0;
    pfem_settings settings = facts.self_test;
    settings.strategy = strategy;
    if (pfem_start(&settings)) return HUGE_VAL;
    for (int i = 0; i < PFEM_SELF_TEST; i++) {
        double wanted = facts.self_test_height[strategy][i];
        if (pfem_step(facts.self_test_force[i], &height)) return HUGE_VAL;
        if (!(fabs(height - wanted) <= worst)) worst = fabs(height - wanted);
        if (fabs(wanted) > largest) largest = fabs(wanted);
    }
    return worst / largest;
}
