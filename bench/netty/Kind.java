import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** One kind of timer. Handles are objects of its own, so that nothing is allocated to wrap them. */
abstract class Kind {
    /** Returns what arm takes, once for many armings. */
    abstract Object task(Runnable run);

    abstract Object arm(Object task, long millis);

    abstract void cancel(Object handle);

    abstract boolean isExpired(Object handle);

    abstract void stop();

    /** java.util.Timer, whose tasks can be armed once only. What is canceled stays until it would be due. */
    static final class UtilTimer extends Kind {
        private final Timer timer = new Timer(true);

        private static final class Once extends TimerTask {
            private final Runnable run;
            private volatile boolean expired;

            Once(Runnable run) {
                this.run = run;
            }

            @Override public void run() {
                expired = true;
                run.run();
            }
        }

        @Override Object task(Runnable run) {
            return run;
        }

        @Override Object arm(Object task, long millis) {
            Once once = new Once((Runnable) task);
            timer.schedule(once, millis);
            return once;
        }

        @Override void cancel(Object handle) {
            ((Once) handle).cancel();
        }

        @Override boolean isExpired(Object handle) {
            return ((Once) handle).expired;
        }

        @Override void stop() {
            timer.cancel();
        }
    }

    /** ScheduledThreadPoolExecutor of one thread, which lets go of what is canceled. */
    static final class Pool extends Kind {
        private final ScheduledThreadPoolExecutor pool = new ScheduledThreadPoolExecutor(1);

        Pool() {
            pool.setRemoveOnCancelPolicy(true);
        }

        @Override Object task(Runnable run) {
            return run;
        }

        @Override Object arm(Object task, long millis) {
            return pool.schedule((Runnable) task, millis, TimeUnit.MILLISECONDS);
        }

        @Override void cancel(Object handle) {
            ((ScheduledFuture<?>) handle).cancel(false);
        }

        @Override boolean isExpired(Object handle) {
            return ((ScheduledFuture<?>) handle).isDone();
        }

        @Override void stop() {
            pool.shutdownNow();
        }
    }
}
