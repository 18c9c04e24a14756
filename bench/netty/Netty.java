import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import java.util.concurrent.TimeUnit;

/** Netty's HashedWheelTimer. */
public final class Netty extends Kind {
    private final HashedWheelTimer timer;

    public Netty(long tickMillis) {
        timer = new HashedWheelTimer(tickMillis, TimeUnit.MILLISECONDS, 512);
        timer.start();
    }

    @Override Object task(Runnable run) {
        return (TimerTask) timeout -> run.run();
    }

    @Override Object arm(Object task, long millis) {
        return timer.newTimeout((TimerTask) task, millis, TimeUnit.MILLISECONDS);
    }

    @Override void cancel(Object handle) {
        ((Timeout) handle).cancel();
    }

    @Override boolean isExpired(Object handle) {
        return ((Timeout) handle).isExpired();
    }

    @Override void stop() {
        timer.stop();
    }
}
