/* Counts draws below beta: a persistent program in C. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double number(const char *request, const char *name) {
    char key[64];
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *at = strstr(request, key);
    return at ? atof(at + strlen(key)) : 0;
}

int main(void) {
    char request[65536], run[64];
    puts("{\"sweep\": 1}");
    fflush(stdout);
    while (fgets(request, sizeof request, stdin)) {
        double beta = number(request, "beta");
        long steps = number(request, "steps");
        long long state = number(request, "seed");
        int below = 0;
        sscanf(request, "{\"run\":\"%63[^\"]", run);
        for (long i = 0; i < steps; i++) {
            state = 16807 * state % 2147483647;
            below += state < beta * 2147483647;
        }
        printf("{\"run\": \"%s\", \"below\": %d}\n", run, below);
        fflush(stdout);
    }
    return 0;
}
