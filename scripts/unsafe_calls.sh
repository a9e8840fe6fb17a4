#!/bin/bash
# Rejects calls that are unsafe, depend on the locale or on global state, and includes that climb out of their layer.
# unsafe_calls.sh [DIR...]: default is our sources. Comments and strings are not looked at. Prints file:line: what.
set -euo pipefail
if [ $# = 0 ]; then
  cd "$(dirname "$0")/.."
  set -- $(ls -d src include tests bench 2>/dev/null)
fi
find "$@" \( -name '*.c' -o -name '*.h' -o -name '*.cc' -o -name '*.cpp' \) -not -path '*/build/*' -print0 | sort -z |
  xargs -0 -r perl -0777 -e '
    # Never, anywhere: no bound, no error, global state, or (the builtins) unknown to clang, which builds the fuzz targets.
    my @never = qw(strcpy strcat stpcpy strncpy sprintf vsprintf gets atoi atol atoll atof strtok strtok_r alloca
      setlocale tzset localtime localtime_r mktime gmtime asctime ctime setenv putenv unsetenv rand srand tmpnam mktemp
      system popen strerror longjmp setjmp vfork readdir_r
      __builtin_add_overflow_p __builtin_sub_overflow_p __builtin_mul_overflow_p);
    # Not in the library: memory comes from the context, numbers are parsed without the locale, nothing ends the program.
    my @library = qw(malloc calloc realloc free strdup strndup asprintf vasprintf strtod strtof strtold strtol strtoul strtoll
      strtoull scanf sscanf fscanf getenv exit printf puts);
    my %allowed = ("src/base/ctx.c" => "malloc|realloc|free");
    my $bad = 0;
    for my $file (@ARGV) {
      open(my $in, "<", $file) or die "$file: $!";
      my $text = <$in>;
      $text =~ s{(/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\x27(?:\\.|[^\x27\\\n])+\x27)}{
        my ($part, $at) = ($1, $-[0]);
        my $is_text = $part =~ /^"/;
        my $before = substr($text, $at < 40 ? 0 : $at - 40, $at < 40 ? $at : 40);
        my $is_include = $is_text && $before =~ /#\s*include\s*$/;
        $is_include ? $part : $is_text ? "\"\"" : $part =~ s/[^\n]//gr }gse;
      my $in_library = $file =~ m{(^|/)src/(?!cli/)} && $file !~ m{(_test\.c|/test_[a-z_]*\.h|_testing\.h)$};
      my $names = join("|", @never, $in_library ? @library : ());
      my $fine = $allowed{$file} // "nothing";
      my $number = 0;
      for my $line (split /\n/, $text) {
        $number++;
        while ($line =~ /(?<![\w.>])($names)\s*\(/g) {
          next if $1 =~ /^(?:$fine)$/;
          print "$file:$number: call of $1\n";
          $bad = 1;
        }
        if ($line =~ m{#\s*include\s*"(\.\.?/[^"]*)"}) {
          print "$file:$number: include of $1\n";
          $bad = 1;
        }
      }
    }
    exit $bad;
  '
