import java.io.BufferedOutputStream;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.*;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.hive.ql.exec.vector.*;
import org.apache.orc.*;
import org.apache.orc.Reader;

/** Prints the rows of an ORC file as the Java library reads them, in the writing of `skep cat --outputformat=json`. */
public class DumpOrc {
  final StringBuilder out = new StringBuilder();
  final GregorianCalendar utc = new GregorianCalendar(TimeZone.getTimeZone("UTC")), local = new GregorianCalendar(TimeZone.getDefault());

  DumpOrc(boolean proleptic) {
    if (!proleptic) return;
    utc.setGregorianChange(new Date(Long.MIN_VALUE));
    local.setGregorianChange(new Date(Long.MIN_VALUE));
  }

  static void dump(String path, String to) throws Exception {
    Configuration conf = new Configuration();
    RawLocalFileSystem fs = new RawLocalFileSystem();
    fs.initialize(URI.create("file:///"), conf);
    boolean proleptic;
    try (Reader first = OrcFile.createReader(new Path(path), OrcFile.readerOptions(conf).filesystem(fs))) {
      proleptic = first.writerUsedProlepticGregorian();
    }
    DumpOrc d = new DumpOrc(proleptic);
    OrcFile.ReaderOptions options = OrcFile.readerOptions(conf).filesystem(fs).convertToProlepticGregorian(proleptic);
    try (Reader reader = OrcFile.createReader(new Path(path), options);
         PrintStream o = new PrintStream(new BufferedOutputStream(new FileOutputStream(to)), false, "UTF-8")) {
      TypeDescription type = reader.getSchema();
      VectorizedRowBatch b = type.createRowBatch();
      RecordReader rows = reader.rows();
      while (rows.nextBatch(b))
        for (int i = 0; i < b.size; i++) {
          d.out.setLength(0);
          if (type.getCategory() == TypeDescription.Category.STRUCT) d.struct(b.cols, i, type);
          else d.value(b.cols[0], i, type);
          o.print(d.out.append('\n'));
        }
      rows.close();
    }
  }

  void struct(ColumnVector[] fields, int i, TypeDescription type) {
    for (int c = 0; c < fields.length; c++) {
      out.append(c == 0 ? '{' : ',');
      string(type.getFieldNames().get(c));
      out.append(':');
      value(fields[c], i, type.getChildren().get(c));
    }
    out.append(fields.length == 0 ? "{}" : "}");
  }

  void string(String v) {
    out.append('"');
    for (char c : v.toCharArray()) {
      if (c == '"' || c == '\\') out.append('\\').append(c);
      else if (c < 32) out.append(String.format("\\u%04x", (int) c));
      else out.append(c);
    }
    out.append('"');
  }

  void real(double v, boolean isFloat) {
    if (Double.isNaN(v) || Double.isInfinite(v)) { out.append('"').append(v).append('"'); return; }
    if (v == 0) { out.append(v); return; }
    for (int digits = 1; ; digits++) { // the fewest that give back the value
      String text = new BigDecimal(v).round(new MathContext(digits, RoundingMode.HALF_EVEN)).toString();
      if (isFloat ? Float.parseFloat(text) != (float) v : Double.parseDouble(text) != v) continue;
      out.append(text);
      return;
    }
  }

  void day(GregorianCalendar g) {
    int y = g.get(Calendar.YEAR);
    if (g.get(Calendar.ERA) == GregorianCalendar.BC) y = 1 - y;
    out.append(String.format(y < 0 ? "%05d-%02d-%02d" : "%04d-%02d-%02d", y, g.get(Calendar.MONTH) + 1, g.get(Calendar.DAY_OF_MONTH)));
  }

  void timestamp(TimestampColumnVector v, int i, GregorianCalendar g, String zone) {
    g.setTimeInMillis(Math.floorDiv(v.time[i], 1000L) * 1000);
    String fraction = String.format("%09d", v.nanos[i]).replaceFirst("0{1,8}$", "");
    out.append('"');
    day(g);
    out.append(String.format(" %02d:%02d:%02d.%s%s\"", g.get(Calendar.HOUR_OF_DAY), g.get(Calendar.MINUTE), g.get(Calendar.SECOND), fraction, zone));
  }

  void value(ColumnVector v, int i, TypeDescription t) {
    if (v.isRepeating) i = 0;
    if (!v.noNulls && v.isNull[i]) { out.append("null"); return; }
    switch (t.getCategory().getName()) {
      case "boolean": out.append(((LongColumnVector) v).vector[i] != 0); break;
      case "tinyint": case "smallint": case "int": case "bigint": out.append(((LongColumnVector) v).vector[i]); break;
      case "float": real(((DoubleColumnVector) v).vector[i], true); break;
      case "double": real(((DoubleColumnVector) v).vector[i], false); break;
      case "string": case "char": case "varchar": {
        BytesColumnVector b = (BytesColumnVector) v;
        string(new String(b.vector[i], b.start[i], b.length[i], StandardCharsets.UTF_8));
        break;
      }
      case "binary": {
        BytesColumnVector b = (BytesColumnVector) v;
        StringJoiner bytes = new StringJoiner(",", "[", "]");
        for (int k = 0; k < b.length[i]; k++) bytes.add(Integer.toString(b.vector[i][b.start[i] + k] & 255));
        out.append(bytes);
        break;
      }
      case "date":
        utc.setTimeInMillis(((LongColumnVector) v).vector[i] * 86400000L);
        out.append('"');
        day(utc);
        out.append('"');
        break;
      case "timestamp": timestamp((TimestampColumnVector) v, i, local, ""); break;
      case "timestamp with local time zone": timestamp((TimestampColumnVector) v, i, utc, "Z"); break;
      case "decimal": out.append('"').append(((DecimalColumnVector) v).vector[i].toFormatString(t.getScale())).append('"'); break;
      case "array": {
        ListColumnVector l = (ListColumnVector) v;
        out.append('[');
        for (int k = 0; k < l.lengths[i]; k++) {
          if (k > 0) out.append(',');
          value(l.child, (int) l.offsets[i] + k, t.getChildren().get(0));
        }
        out.append(']');
        break;
      }
      case "map": {
        MapColumnVector m = (MapColumnVector) v;
        out.append('[');
        for (int k = 0; k < m.lengths[i]; k++) {
          out.append(k > 0 ? ",{\"key\":" : "{\"key\":");
          value(m.keys, (int) m.offsets[i] + k, t.getChildren().get(0));
          out.append(",\"value\":");
          value(m.values, (int) m.offsets[i] + k, t.getChildren().get(1));
          out.append('}');
        }
        out.append(']');
        break;
      }
      case "struct": struct(((StructColumnVector) v).fields, i, t); break;
      case "uniontype": {
        UnionColumnVector u = (UnionColumnVector) v;
        out.append("{\"tag\":").append(u.tags[i]).append(",\"value\":");
        value(u.fields[u.tags[i]], i, t.getChildren().get(u.tags[i]));
        out.append('}');
        break;
      }
      default: throw new IllegalArgumentException(t.toString());
    }
  }
}
