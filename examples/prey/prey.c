/* Prey and predators, from day to day. It is a program as many are: positional
 * arguments, a table in a file, a line of text. It knows nothing of sweep.
 *
 *     cc -O2 -o prey prey.c && ./prey 0.5 0.3 1
 */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	if (argc != 4) {
		fprintf(stderr, "usage: prey BIRTHS DEATHS SEED\n");
		return 2;
	}
	double births = atof(argv[1]);
	double deaths = atof(argv[2]);
	unsigned long long random = strtoull(argv[3], NULL, 10);
	double prey = 40, predators = 9, peak = 0;

	FILE *out = fopen("out.csv", "w");
	if (out == NULL) {
		perror("out.csv");
		return 1;
	}
	fprintf(out, "day,prey,predators,weather\n");
	for (int day = 1; day <= 60; day++) {
		random = random * 6364136223846793005ULL + 1442695040888963407ULL;
		double weather = 0.8 + 0.4 * (double)(random >> 40) / (1 << 24);
		double eaten = 0.02 * prey * predators;
		prey += births * weather * prey * (1 - prey / 200) - eaten;
		predators += 0.5 * eaten - deaths * predators;
		if (prey > peak)
			peak = prey;
		fprintf(out, "%d,%.3f,%.3f,%.3f\n", day, prey, predators, weather);
	}
	if (fclose(out) != 0) {
		perror("out.csv");
		return 1;
	}
	printf("done: peak prey %.3f\n", peak);
	return 0;
}
