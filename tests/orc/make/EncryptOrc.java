import java.util.Random;
import org.apache.orc.*;

/** Column encryption with a key that lives in this program only. */
public class EncryptOrc {
  /** how: column:mask */
  public static void set(OrcFile.WriterOptions w, String how) throws Exception {
    InMemoryKeystore keys = new InMemoryKeystore(new Random(5)).addKey("pii", EncryptionAlgorithm.AES_CTR_128, new byte[16]);
    w.setKeyProvider(keys).encrypt("pii:" + how.split(":")[0]).masks(how.split(":")[1] + ":" + how.split(":")[0]);
  }
}
