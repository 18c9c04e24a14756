import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * The loads arm, fire and rpc of the comparison, against the timers of the JVM. What each of
 * them does is described beside the Go code, in bench/loads. Every load runs for a while on a timer
 * of its own before it is measured, so that the JIT compiler is done.
 */
public final class Jvm {
    private static final int BATCH = 256;
    private static final Runnable NOP = () -> {};

    private static String kind, load, kase, peer, round;
    private static long tickMillis, size, timeMillis;
    private static int threads;

    public static void main(String[] args) throws Exception {
        System.setOut(new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8));
        kind = args[0];
        load = args[1];
        kase = args[2];
        peer = args[3];
        round = args[4];
        tickMillis = Long.parseLong(args[5]);
        size = count(args[6]);
        timeMillis = Long.parseLong(args[7]);
        threads = Integer.parseInt(args[8]);
        switch (load) {
            case "arm": arm(); break;
            case "fire": fire(); break;
            case "rpc": rpc(); break;
            default: throw new IllegalArgumentException(load);
        }
        System.exit(0);
    }

    /** Reads a size as it is written in the names of cases: 0, 100k, 1M. */
    private static long count(String text) {
        if (text.endsWith("k")) return 1_000 * Long.parseLong(text.substring(0, text.length() - 1));
        if (text.endsWith("M")) return 1_000_000 * Long.parseLong(text.substring(0, text.length() - 1));
        return text.matches("[0-9]+") ? Long.parseLong(text) : 0;
    }

    private static void row(String figure, String unit, double value) {
        row(figure, unit, String.format(Locale.ROOT, "%.6g", value), "");
    }

    private static void row(String figure, String unit, String value, String mark) {
        System.out.printf(Locale.ROOT, "row,%s,%s,%s,%s,%s,%s,%s,\"%s\"%n",
                load, kase, peer, round, figure, unit, value, mark);
    }

    private static Kind open() throws Exception {
        switch (kind) {
            case "timer": return new Kind.UtilTimer();
            case "pool": return new Kind.Pool();
            default: // by its name: there may be no Netty
                return (Kind) Class.forName("Netty").getConstructor(long.class).newInstance(tickMillis);
        }
    }

    // arm

    private static void arm() throws Exception {
        Kind warm = open();
        rate(warm, threads, timeMillis < 100 ? 200 : Math.max(1500, timeMillis));
        warm.stop();
        Kind timer = open();
        SplittableRandom random = new SplittableRandom(1);
        Object nop = timer.task(NOP);
        for (long i = 0; i < size; i++) {
            timer.arm(nop, 1000L * (3600 + random.nextInt(3600)));
        }
        Thread.sleep(tickMillis * (5 + size / 100_000) + 250);
        for (int n = 1; ; n = Math.min(2 * n, threads)) {
            System.gc();
            Thread.sleep(2 * tickMillis);
            row(n == 1 ? "1 goroutine" : n + " goroutines", "ns/op", rate(timer, n, timeMillis));
            if (n == threads) break;
        }
    }

    private static double rate(Kind timer, int n, long millis) throws Exception {
        AtomicLong ops = new AtomicLong();
        Object nop = timer.task(NOP);
        long start = System.nanoTime();
        long end = start + millis * 1_000_000;
        inParallel(n, i -> {
            long mine = 0;
            for (; System.nanoTime() < end; mine += BATCH) {
                for (int k = 0; k < BATCH; k++) {
                    timer.cancel(timer.arm(nop, 30_000));
                }
            }
            ops.addAndGet(mine);
        });
        return (double) (System.nanoTime() - start) / ops.get();
    }

    // fire

    private static void fire() throws Exception {
        Kind warm = open();
        fireOnce(warm, false);
        fireOnce(warm, false);
        warm.stop();
        System.gc();
        fireOnce(open(), true);
    }

    private static void fireOnce(Kind timer, boolean measured) throws Exception {
        Expiry expiry = new Expiry();
        Object plain = timer.task(expiry.plain());
        long cpu = cpuTime();
        long start = System.nanoTime();
        for (long i = 0; i < size; i++) {
            timer.arm(i % 64 == 0 ? timer.task(expiry.checked(50)) : plain, 50);
        }
        expiry.await(size);
        double wall = (System.nanoTime() - start) / 1e9;
        double used = (double) (cpuTime() - cpu) / size;
        if (!measured) return;
        if (expiry.lost(size)) return;
        String early = expiry.mark();
        row("wall", "s", early.isEmpty() ? String.format(Locale.ROOT, "%.6g", wall) : "", early);
        row("CPU", "ns each", used);
    }

    private static long cpuTime() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    // rpc

    private static void rpc() throws Exception {
        Kind warm = open();
        replay(warm, timeMillis < 1000 ? 200 : Math.max(2000, timeMillis / 4), false);
        warm.stop();
        replay(open(), timeMillis, true);
    }

    private static void replay(Kind timer, long millis, boolean measured) throws Exception {
        Expiry expiry = new Expiry();
        Caller[] callers = new Caller[threads];
        for (int i = 0; i < threads; i++) callers[i] = new Caller(timer, expiry, millis);
        System.gc();
        long start = System.nanoTime();
        inParallel(threads, i -> callers[i].run(start + millis * 1_000_000));
        double wall = (System.nanoTime() - start) / 1e9;
        long batches = 0;
        int samples = 0;
        for (Caller c : callers) {
            batches += c.batches;
            samples += c.sampled;
        }
        expiry.await(batches);
        if (!measured || expiry.lost(batches)) return;
        double[] took = new double[samples];
        int at = 0;
        for (Caller c : callers) {
            System.arraycopy(c.took, 0, took, at, c.sampled);
            at += c.sampled;
        }
        Arrays.sort(took);
        row("calls", "ops/s", String.format(Locale.ROOT, "%.6g", batches * 100 / wall), expiry.mark());
        row("arming p50", "µs", took[(int) (0.5 * (samples - 1))]);
        row("arming p99", "µs", took[(int) (0.99 * (samples - 1))]);
        row("arming p99.9", "µs", took[(int) (0.999 * (samples - 1))]);
        row("arming max", "µs", took[samples - 1]);
    }

    /**
     * One thread's calls: of a hundred, 99 are answered after about 5 ms and one expires. Each batch has an
     * array of its own, which suits a collector that has generations.
     */
    private static final class Caller {
        private final Kind timer;
        private final Expiry expiry;
        private final Object expires, nop;
        private final SplittableRandom random = new SplittableRandom(1);
        private final ArrayDeque<Object[]> flying = new ArrayDeque<>();
        private final ArrayDeque<Long> since = new ArrayDeque<>();
        private final ArrayDeque<Object> waiting = new ArrayDeque<>(); // for an answer that does not come
        private final double[] took;
        private int sampled;
        private long batches;

        Caller(Kind timer, Expiry expiry, long millis) {
            this.timer = timer;
            this.expiry = expiry;
            this.expires = timer.task(expiry.plain());
            this.nop = timer.task(NOP);
            this.took = new double[(int) (100 * millis)];
        }

        void run(long end) {
            for (long now = System.nanoTime(); now < end; now = System.nanoTime()) {
                while (!flying.isEmpty() && now - since.peek() >= 5_000_000) answerOldest();
                while (!waiting.isEmpty() && timer.isExpired(waiting.peek())) waiting.remove();
                callBatch(now);
            }
            while (!flying.isEmpty()) answerOldest();
        }

        private void callBatch(long now) {
            Object[] calls = new Object[99];
            batches++;
            waiting.add(timer.arm(batches % 64 == 0 ? timer.task(expiry.checked(1000)) : expires, 1000));
            int measured = random.nextInt(calls.length);
            for (int i = 0; i < measured; i++) calls[i] = timer.arm(nop, 30_000);
            long start = System.nanoTime();
            calls[measured] = timer.arm(nop, 30_000);
            sample((System.nanoTime() - start) / 1e3);
            for (int i = measured + 1; i < calls.length; i++) calls[i] = timer.arm(nop, 30_000);
            flying.add(calls);
            since.add(now);
        }

        private void sample(double micros) {
            if (sampled < took.length) took[sampled++] = micros;
        }

        private void answerOldest() {
            since.remove();
            for (Object call : flying.remove()) timer.cancel(call);
        }
    }

    /** Counts the timeouts that expire, and how many of those looked at were early. */
    private static final class Expiry {
        private final LongAdder expired = new LongAdder();
        private final AtomicLong checked = new AtomicLong(), early = new AtomicLong(), earliest = new AtomicLong();

        Runnable plain() {
            return () -> expired.increment();
        }

        Runnable checked(long delayMillis) {
            long due = System.nanoTime() + delayMillis * 1_000_000;
            return () -> {
                long by = due - System.nanoTime();
                checked.incrementAndGet();
                if (by > 0) {
                    early.incrementAndGet();
                    earliest.accumulateAndGet(by, Math::max);
                }
                expired.increment();
            };
        }

        /** Returns once so many have expired, or none has for eight seconds. */
        void await(long want) throws InterruptedException {
            long seen = 0, since = System.nanoTime();
            while (System.nanoTime() - since < 8_000_000_000L) {
                long n = expired.sum();
                if (n >= want) return;
                if (n > seen) {
                    seen = n;
                    since = System.nanoTime();
                }
                Thread.sleep(0, 200_000);
            }
        }

        boolean lost(long want) {
            long n = expired.sum();
            if (n == want) return false;
            row("*", "", "", String.format(Locale.ROOT, n < want ? "lost %,d of %,d" : "fired %,d more than %,d",
                    Math.abs(want - n), want));
            return true;
        }

        String mark() {
            if (early.get() == 0) return "";
            return String.format(Locale.ROOT, "EARLY by %.1f ms (%,d of %,d)",
                    earliest.get() / 1e6, early.get(), checked.get());
        }
    }

    private interface Work {
        void run(int i);
    }

    private static void inParallel(int n, Work work) throws InterruptedException {
        Thread[] all = new Thread[n];
        for (int i = 0; i < n; i++) {
            int me = i;
            all[i] = new Thread(() -> work.run(me));
            all[i].start();
        }
        for (Thread t : all) t.join();
    }
}
