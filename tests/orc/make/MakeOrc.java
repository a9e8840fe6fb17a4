import java.io.BufferedReader;
import java.io.File;
import java.io.FileReader;
import java.math.BigInteger;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Timestamp;
import java.util.*;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.hive.common.type.HiveDecimal;
import org.apache.hadoop.hive.ql.exec.vector.*;
import org.apache.orc.*;
import org.apache.orc.Writer;

/**
 * Writes the files of a list with the Java ORC library that is on the class path, each with the rows that the same library reads back in the
 * same time zone (DumpOrc). usage: MakeOrc LIST LIBRARY OUT; the list is cases.tsv (see make.py); only the lines of LIBRARY are taken.
 * Values follow from the case's seed.
 */
public class MakeOrc {
  /** How the values of one column look: a pattern and how often they are NULL. */
  static final class Pattern {
    final TypeDescription type;
    final int kind, nulls, run;
    final long base, step;
    final Pattern[] children;
    long current, left;

    /** fixedKind, fixedNulls: as the case wants it, or -1. */
    Pattern(TypeDescription type, Random r, int fixedKind, int fixedNulls) {
      this.type = type;
      int k = r.nextInt(8), n = r.nextInt(6);
      kind = fixedKind < 0 ? k : fixedKind;
      nulls = fixedNulls < 0 ? n : fixedNulls;
      base = r.nextLong() >> r.nextInt(64);
      run = 1 + r.nextInt(30);
      step = r.nextInt(5) == 0 ? r.nextInt(1000) - 500 : r.nextInt(3);
      List<TypeDescription> c = type.getChildren();
      children = new Pattern[c == null ? 0 : c.size()];
      for (int i = 0; i < children.length; i++) children[i] = new Pattern(c.get(i), r, fixedKind, fixedNulls);
    }
  }

  static final long[] EDGES = {0, 1, -1, 127, -128, 32767, -32768, Integer.MAX_VALUE, Integer.MIN_VALUE, Long.MAX_VALUE, Long.MIN_VALUE,
      255, 256, 65535, 65536, 1L << 32, (1L << 56) - 1, 1L << 55, -(1L << 56)};
  static final double[] DOUBLES = {0.0, -0.0, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, 0.1, 0.25, 1e100, -2.5e-300, 1e10};
  static final String[] WORDS = {"", "a", "Z\u00fcrich", "\u65e5\u672c", "\ud834\udd1e clef", "tab\there", "quote\"back\\slash", "x".repeat(40), "A", "AA"};

  final Random r;
  final boolean proleptic;
  final long[] instants;

  MakeOrc(long seed, boolean proleptic) {
    r = new Random(seed);
    this.proleptic = proleptic;
    instants = instants();
  }

  /** Milliseconds where something happens in this zone: changes of its offset, ends of ranges, the change of calendars. */
  static long[] instants() {
    TimeZone zone = TimeZone.getDefault();
    ArrayList<Long> all = new ArrayList<>();
    long half = 1800000L, from = new GregorianCalendar(1840, 0, 1).getTimeInMillis(), until = new GregorianCalendar(2060, 0, 1).getTimeInMillis();
    int offset = zone.getOffset(from);
    for (long t = from; t < until; t += half) {
      if (zone.getOffset(t) == offset) continue;
      offset = zone.getOffset(t);
      for (long d : new long[] {-2 * half, -half - 1, -half, -1, 0, 1, half, 2 * half}) all.add(t + d);
    }
    for (long d : new long[] {0, -1, 1, -500, -1000, -1001}) {
      all.add(d);
      all.add(d - zone.getRawOffset());
      all.add(1420070400000L + d - zone.getRawOffset()); // 2015-01-01, the base of all timestamps
    }
    GregorianCalendar g = new GregorianCalendar();
    int[][] days = {{1, 0, 3}, {1500, 1, 28}, {1582, 9, 4}, {1582, 9, 15}, {1883, 10, 18}, {1899, 11, 31}, {1900, 0, 1}, {1969, 11, 31}, {2038, 0, 19}, {9999, 11, 30}};
    for (int[] d : days) {
      g.clear();
      g.set(d[0], d[1], d[2]);
      all.add(g.getTimeInMillis());
      all.add(g.getTimeInMillis() + 86399999L);
    }
    return all.stream().mapToLong(Long::longValue).toArray();
  }

  boolean isNull(Pattern p, int row) {
    switch (p.nulls) {
      case 0: case 1: return false;
      case 2: return r.nextInt(10) == 0;
      case 3: return r.nextInt(10) != 0;
      case 4: return true;
      default: return row / 37 % 2 == 0;
    }
  }

  long number(Pattern p) {
    switch (p.kind) {
      case 0: return p.base;
      case 1: p.current += p.step; return p.base % 1000000 + p.current;
      case 2: return EDGES[r.nextInt(EDGES.length)];
      case 3: return r.nextInt(100);
      case 4: return r.nextLong();
      case 5:
        if (p.left-- <= 0) { p.left = r.nextInt(p.run); p.current = r.nextLong() >> r.nextInt(64); }
        return p.current;
      case 6: return r.nextInt(50) == 0 ? r.nextLong() : r.nextInt(1000) - 500; // for PATCHED_BASE
      default: p.current += r.nextInt(1 << 1 + p.run % 20); return p.base % 100000 + p.current;
    }
  }

  String word(Pattern p) {
    switch (p.kind) {
      case 0: return "const" + p.base;
      case 1: return String.format("s%08d", p.current++);
      case 2: return WORDS[r.nextInt(WORDS.length)];
      case 3: return "k" + r.nextInt(5);
      case 4: return Long.toString(r.nextLong(), 36);
      case 5: return "";
      case 6: return "p".repeat(r.nextInt(60));
      default: return "w" + r.nextInt(50);
    }
  }

  long millis(Pattern p) {
    switch (p.kind) {
      case 0: return instants[(int) Math.floorMod(p.base, (long) instants.length)];
      case 1: p.current += p.step * 1000; return 1500000000000L + p.current;
      case 2: case 3: case 5: return instants[r.nextInt(instants.length)];
      case 4: return -62135000000000L + (long) (r.nextDouble() * 315530000000000.0);
      case 6: return -(long) (r.nextDouble() * 3e12);
      default: return 1000L * r.nextInt(2000000000) - 500000000000L;
    }
  }

  int nanos() {
    switch (r.nextInt(7)) {
      case 0: return 0;
      case 1: return r.nextInt(1000) * 1000000;
      case 2: return r.nextInt(1000000) * 1000;
      case 3: return 999999999;
      case 4: return 1;
      case 5: return r.nextInt(10) * 100000000;
      default: return r.nextInt(1000000000);
    }
  }

  HiveDecimal decimal(Pattern p) {
    BigInteger b = p.kind == 4 || p.kind == 6 ? new BigInteger(r.nextInt(126), r) : BigInteger.valueOf(number(p));
    BigInteger limit = BigInteger.TEN.pow(p.type.getPrecision());
    b = (p.kind == 4 && r.nextBoolean() ? b.negate() : b).remainder(limit);
    if (p.kind == 2 && r.nextInt(4) == 0) b = limit.subtract(BigInteger.ONE);
    return HiveDecimal.create(b, p.type.getScale());
  }

  void fill(ColumnVector v, int i, Pattern p, int row) {
    if (isNull(p, row)) {
      v.noNulls = false;
      v.isNull[i] = true;
      return;
    }
    switch (p.type.getCategory().getName()) {
      case "boolean": ((LongColumnVector) v).vector[i] = number(p) & 1; break;
      case "tinyint": ((LongColumnVector) v).vector[i] = (byte) number(p); break;
      case "smallint": ((LongColumnVector) v).vector[i] = (short) number(p); break;
      case "int": ((LongColumnVector) v).vector[i] = (int) number(p); break;
      case "bigint": ((LongColumnVector) v).vector[i] = number(p); break;
      case "date": ((LongColumnVector) v).vector[i] = Math.floorDiv(millis(p), 86400000L); break;
      case "float": ((DoubleColumnVector) v).vector[i] = (float) (p.kind == 2 ? DOUBLES[r.nextInt(7)] : number(p) / 8.0); break;
      case "double": ((DoubleColumnVector) v).vector[i] = p.kind == 2 ? DOUBLES[r.nextInt(DOUBLES.length)] : number(p) / 8.0; break;
      case "string": set(v, i, word(p).getBytes(StandardCharsets.UTF_8)); break;
      case "char": case "varchar": {
        String s = word(p);
        int n = Math.min(p.type.getMaxLength(), s.codePointCount(0, s.length()));
        set(v, i, s.substring(0, s.offsetByCodePoints(0, n)).getBytes(StandardCharsets.UTF_8));
        break;
      }
      case "binary": {
        byte[] b = new byte[r.nextInt(12)];
        r.nextBytes(b);
        set(v, i, b);
        break;
      }
      case "timestamp": case "timestamp with local time zone": {
        Timestamp t = new Timestamp(Math.floorDiv(millis(p), 1000L) * 1000);
        t.setNanos(p.kind == 1 ? 0 : nanos());
        ((TimestampColumnVector) v).set(i, t);
        break;
      }
      case "decimal": ((DecimalColumnVector) v).set(i, decimal(p)); break;
      case "array": {
        ListColumnVector l = (ListColumnVector) v;
        int n = p.kind == 0 ? 0 : r.nextInt(4);
        l.offsets[i] = l.childCount;
        l.lengths[i] = n;
        l.child.ensureSize(l.childCount + n, true);
        for (int k = 0; k < n; k++) fill(l.child, l.childCount + k, p.children[0], row);
        l.childCount += n;
        break;
      }
      case "map": {
        MapColumnVector m = (MapColumnVector) v;
        int n = p.kind == 0 ? 0 : r.nextInt(4);
        m.offsets[i] = m.childCount;
        m.lengths[i] = n;
        m.keys.ensureSize(m.childCount + n, true);
        m.values.ensureSize(m.childCount + n, true);
        for (int k = 0; k < n; k++) {
          fill(m.keys, m.childCount + k, p.children[0], row);
          fill(m.values, m.childCount + k, p.children[1], row);
        }
        m.childCount += n;
        break;
      }
      case "struct":
        for (int k = 0; k < p.children.length; k++) fill(((StructColumnVector) v).fields[k], i, p.children[k], row);
        break;
      case "uniontype": {
        UnionColumnVector u = (UnionColumnVector) v;
        u.tags[i] = r.nextInt(p.children.length);
        fill(u.fields[u.tags[i]], i, p.children[u.tags[i]], row);
        break;
      }
      default: throw new IllegalArgumentException(p.type.toString());
    }
  }

  static void set(ColumnVector v, int i, byte[] b) { ((BytesColumnVector) v).setVal(i, b); }

  /** Says that the values are in the file's calendar, so that the writer does not convert them. */
  void markCalendar(ColumnVector v) throws ReflectiveOperationException {
    if (v instanceof TimestampColumnVector || v.getClass().getSimpleName().equals("DateColumnVector"))
      v.getClass().getMethod("changeCalendar", boolean.class, boolean.class).invoke(v, proleptic, false);
    if (v instanceof ListColumnVector) markCalendar(((ListColumnVector) v).child);
    if (v instanceof MapColumnVector) { markCalendar(((MapColumnVector) v).keys); markCalendar(((MapColumnVector) v).values); }
    if (v instanceof StructColumnVector) for (ColumnVector f : ((StructColumnVector) v).fields) markCalendar(f);
    if (v instanceof UnionColumnVector) for (ColumnVector f : ((UnionColumnVector) v).fields) markCalendar(f);
  }

  void write(String path, String schema, Map<String, String> o) throws Exception {
    Configuration conf = new Configuration();
    RawLocalFileSystem fs = new RawLocalFileSystem();
    fs.initialize(URI.create("file:///"), conf);
    OrcConf.ROWS_BETWEEN_CHECKS.setLong(conf, 1); // small stripes: look at the size after every batch
    OrcConf.DICTIONARY_KEY_SIZE_THRESHOLD.setDouble(conf, Double.parseDouble(o.getOrDefault("dict", "0.8")));
    TypeDescription type = TypeDescription.fromString(schema);
    int stride = Integer.parseInt(o.getOrDefault("stride", "1000"));
    OrcFile.WriterOptions w = OrcFile.writerOptions(conf).setSchema(type).fileSystem(fs)
        .version(OrcFile.Version.valueOf(o.getOrDefault("version", "V_0_12"))).compress(CompressionKind.valueOf(o.getOrDefault("compress", "NONE")))
        .bufferSize(Integer.parseInt(o.getOrDefault("buffer", "65536"))).enforceBufferSize().rowIndexStride(stride)
        .stripeSize(Long.parseLong(o.getOrDefault("stripe", "67108864")));
    if (o.containsKey("bloom")) w.bloomFilterColumns(String.join(",", type.getFieldNames())).bloomFilterVersion(OrcFile.BloomFilterVersion.fromString(o.get("bloom")));
    w.setProlepticGregorian(proleptic);
    if (o.containsKey("encrypt")) // a class of its own: the library of before 1.6 knows nothing of it
      Class.forName("EncryptOrc").getMethod("set", OrcFile.WriterOptions.class, String.class).invoke(null, w, o.get("encrypt"));
    int rows = Integer.parseInt(o.getOrDefault("rows", "40")), intermediate = Integer.parseInt(o.getOrDefault("intermediate", "-1"));
    Writer writer = OrcFile.createWriter(new Path(path), w);
    VectorizedRowBatch b = type.createRowBatch();
    Pattern p = new Pattern(type, r, Integer.parseInt(o.getOrDefault("kind", "-1")), Integer.parseInt(o.getOrDefault("nulls", "-1")));
    for (ColumnVector v : b.cols) markCalendar(v);
    boolean isStruct = type.getCategory() == TypeDescription.Category.STRUCT;
    for (int done = 0; done < rows; done += b.size) {
      int n = Math.min(rows - done, Integer.parseInt(o.getOrDefault("batch", "20")));
      b.reset();
      for (int i = 0; i < n; i++)
        for (int c = 0; c < b.cols.length; c++) fill(b.cols[c], i, isStruct ? p.children[c] : p, done + i);
      b.size = n;
      writer.addRowBatch(b);
      if (done < intermediate && done + n >= intermediate) writer.writeIntermediateFooter();
    }
    if (o.containsKey("metadata")) writer.addUserMetadata(o.get("metadata"), ByteBuffer.wrap("caf\u00e9".getBytes(StandardCharsets.UTF_8)));
    writer.close();
  }

  public static void main(String[] a) throws Exception {
    try (BufferedReader list = new BufferedReader(new FileReader(a[0], StandardCharsets.UTF_8))) {
      for (String line; (line = list.readLine()) != null;) {
        String[] f = line.split("\t");
        if (f.length < 5 || !f[1].equals(a[1])) continue;
        TimeZone.setDefault(TimeZone.getTimeZone(f[2]));
        Map<String, String> options = new HashMap<>();
        for (String word : f[3].split(" ")) options.put(word.split("=")[0], word.substring(word.indexOf('=') + 1));
        String path = a[2] + "/" + f[0];
        new File(path + ".orc").delete();
        boolean proleptic = "proleptic".equals(options.get("calendar"));
        new MakeOrc(Long.parseLong(options.getOrDefault("seed", "1")), proleptic).write(path + ".orc", f[4], options);
        DumpOrc.dump(path + ".orc", path + ".rows");
        new File(a[2] + "/." + f[0] + ".orc.crc").delete();
      }
    }
  }
}
