/* The program; see commands.c. */
#include "cli/cli.h"

int main(int argc, char **argv) { return skep_cli_main(argc, argv); }
