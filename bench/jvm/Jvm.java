import com.sun.management.OperatingSystemMXBean;
import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.TimerTask;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntConsumer;
import java.util.regex.Pattern;

/**
 * Benchmarks of Netty's HashedWheelTimer, java.util.Timer and ScheduledThreadPoolExecutor, with the loads of
 * arm_test.go, fire_test.go and calls_test.go, and output in Go's format. Each load also runs before it is measured, so
 * that the JIT compiler has compiled it. With two arguments, regexps of benchmarks and timers, the program prints the
 * names of those that match. With three, it runs one load: its name, the number of threads, and the factor for sizes
 * and times.
 */
public final class Jvm {
    private static final String[] LOADS = {"Arm/pending=0", "Arm/pending=1M", "Fire/timeouts=1M", "Calls/timeouts=new"};
    private static final String[] TIMERS = {"netty", "java-timer", "java-pool"};
    private static int threads;
    private static double scale; // of sizes and times

    public static void main(String[] args) throws Exception {
        if (args.length == 2) {
            for (String load : LOADS)
                for (String timer : TIMERS)
                    if (Pattern.compile(args[0].split("/")[0]).matcher("Benchmark" + load.split("/")[0]).find()
                            && Pattern.compile(args[1]).matcher(timer).find())
                        System.out.println("Benchmark" + load + "/timer=" + timer);
            return;
        }
        threads = Integer.parseInt(args[1]);
        scale = Double.parseDouble(args[2]);
        String load = args[0], timer = load.substring(load.indexOf("timer=") + 6), figures = "";
        int million = (int) Math.max(5, Math.round(1e6 * scale));
        for (int round = 0; round < 3; round++) { // the first two are for the JIT compiler alone
            if (load.contains("Arm")) figures = arm(open(timer, 100), round < 2 || load.contains("=0") ? 0 : million);
            if (load.contains("Fire")) figures = fire(open(timer, 10), million);
            if (load.contains("Calls")) figures = calls(open(timer, 10), millis(4000));
        }
        load = scale == 1 ? load : load.replace("1M", million % 1000 == 0 ? million / 1000 + "k" : "" + million);
        System.out.println(load + (threads == 1 ? "" : "-" + threads) + "\t1" + figures); // named as by package testing
        System.exit(0);
    }

    private static long millis(long full) { return (long) Math.max(20, full * scale); }

    private static String figure(double v, String unit) { return String.format(Locale.ROOT, "\t%.6g %s", v, unit); }

    /** A timer. A task is made once and armed many times, so that a call allocates no more than necessary. */
    private interface Kind {
        Object task(Runnable run);
        Object arm(Object task, long millis);
        void cancel(Object handle);
    }

    private static Kind open(String name, long tick) {
        switch (name) {
            case "netty": return new Kind() {
                final HashedWheelTimer timer = new HashedWheelTimer(tick, TimeUnit.MILLISECONDS, 512);
                public Object task(Runnable run) { return (io.netty.util.TimerTask) timeout -> run.run(); }
                public Object arm(Object task, long millis) {
                    return timer.newTimeout((io.netty.util.TimerTask) task, millis, TimeUnit.MILLISECONDS);
                }
                public void cancel(Object handle) { ((Timeout) handle).cancel(); }
            };
            case "java-timer": return new Kind() { // its tasks can be armed only once
                final java.util.Timer timer = new java.util.Timer(true);
                public Object task(Runnable run) { return run; }
                public Object arm(Object task, long millis) {
                    TimerTask once = new TimerTask() { @Override public void run() { ((Runnable) task).run(); } };
                    timer.schedule(once, millis);
                    return once;
                }
                public void cancel(Object handle) { ((TimerTask) handle).cancel(); }
            };
            default: return new Kind() {
                final ScheduledThreadPoolExecutor pool = new ScheduledThreadPoolExecutor(1);
                { pool.setRemoveOnCancelPolicy(true); }
                public Object task(Runnable run) { return run; }
                public Object arm(Object task, long millis) {
                    return pool.schedule((Runnable) task, millis, TimeUnit.MILLISECONDS);
                }
                public void cancel(Object handle) { ((Future<?>) handle).cancel(false); }
            };
        }
    }

    private static long cpuTime() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    private static void inParallel(IntConsumer work) throws InterruptedException {
        Thread[] all = new Thread[threads];
        Arrays.setAll(all, i -> new Thread(() -> work.accept(i)));
        for (Thread t : all) t.start();
        for (Thread t : all) t.join();
    }

    private static String arm(Kind timer, int pending) throws Exception {
        SplittableRandom random = new SplittableRandom(1);
        Object nop = timer.task(() -> {});
        for (int i = 0; i < pending; i++) timer.arm(nop, 1000L * (3600 + random.nextInt(3600)));
        Thread.sleep(100 * (5 + pending / 100_000) + 250); // Netty files 100,000 a tick
        System.gc();
        LongAdder ops = new LongAdder();
        long cpu = cpuTime(), start = System.nanoTime(), end = start + millis(1000) * 1_000_000;
        inParallel(me -> {
            for (; System.nanoTime() < end; ops.add(256))
                for (int i = 0; i < 256; i++) timer.cancel(timer.arm(nop, 30_000));
        });
        double n = ops.sum();
        return figure((System.nanoTime() - start) / n, "ns/op") + figure((cpuTime() - cpu) / n, "cpu-ns/op");
    }

    private static String fire(Kind timer, int n) throws Exception {
        Tally fired = new Tally();
        Object plain = timer.task(fired.ran::increment);
        long cpu = cpuTime(), start = System.nanoTime();
        for (int i = 0; i < n; i++) timer.arm(i % 64 == 0 ? timer.task(fired.due(50)) : plain, 50);
        fired.await(n);
        return figure((double) (cpuTime() - cpu) / n, "cpu-ns/timeout")
            + figure((double) (System.nanoTime() - start) / n, "ns/timeout") + fired.early();
    }

    private static String calls(Kind timer, long millis) throws Exception {
        Tally fired = new Tally();
        LongAdder batches = new LongAdder();
        double[][] took = new double[threads][];
        System.gc();
        long start = System.nanoTime(), end = start + millis * 1_000_000;
        inParallel(me -> took[me] = callsOfOne(timer, fired, batches, end));
        double seconds = (System.nanoTime() - start) / 1e9;
        fired.await(batches.sum());
        double[] all = Arrays.stream(took).flatMapToDouble(Arrays::stream).sorted().toArray();
        String figures = figure(batches.sum() * 100 / seconds, "calls/s") + fired.early();
        for (String p : new String[] {"50", "99", "99.9", "100"})
            figures += figure(all[(int) (Double.parseDouble(p) / 100 * (all.length - 1))], "arming-p" + p + "-ns");
        return figures.replace("p100", "max");
    }

    /** Makes calls in batches of a hundred, cancels 99 of them 5 ms later, and returns the ns of one arming a batch. */
    private static double[] callsOfOne(Kind timer, Tally fired, LongAdder batches, long end) {
        SplittableRandom random = new SplittableRandom(1);
        ArrayDeque<Object[]> flying = new ArrayDeque<>();
        ArrayDeque<Long> since = new ArrayDeque<>();
        Object nop = timer.task(() -> {}), expires = timer.task(fired.ran::increment);
        double[] took = new double[1 << 20];
        int n = 0;
        for (long now = System.nanoTime(); now < end || !flying.isEmpty(); now = System.nanoTime()) {
            while (!flying.isEmpty() && (now >= end || now - since.peek() >= 5_000_000)) {
                since.remove();
                for (Object call : flying.remove()) timer.cancel(call);
            }
            if (now >= end) continue;
            batches.increment();
            timer.arm(n % 64 == 0 ? timer.task(fired.due(1000)) : expires, 1000);
            Object[] calls = new Object[99];
            int measured = random.nextInt(calls.length);
            for (int i = 0; i < calls.length; i++) {
                long begun = i == measured ? System.nanoTime() : 0;
                calls[i] = timer.arm(nop, 30_000);
                if (i == measured && n < took.length) took[n++] = System.nanoTime() - begun;
            }
            flying.add(calls);
            since.add(now);
        }
        return Arrays.copyOf(took, n);
    }

    /** Counts the tasks that have run, and notes how early the earliest of the checked tasks ran. */
    private static final class Tally {
        final LongAdder ran = new LongAdder();
        private final AtomicLong earliest = new AtomicLong();

        Runnable due(long millis) {
            long due = System.nanoTime() + millis * 1_000_000;
            return () -> {
                earliest.accumulateAndGet(due - System.nanoTime(), Math::max);
                ran.increment();
            };
        }

        void await(long want) throws InterruptedException {
            for (long i = 0; ran.sum() < want; i++) {
                if (i == 40_000) throw new IllegalStateException(ran.sum() + " tasks ran, of " + want);
                Thread.sleep(0, 200_000);
            }
        }

        String early() { return earliest.get() == 0 ? "" : figure(earliest.get() / 1e6, "early-max-ms"); }
    }
}
