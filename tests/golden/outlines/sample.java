package demo;

import java.util.List;

@Deprecated
public final class Service<T> implements Runnable {
    private static final int LIMIT = 3;
    private final String text = """
        class NotMe {
        """;

    public Service(int size) {
        this.size = size;
    }

    @Override
    public void run() {
        if (ready()) {
            return;
        }
    }

    protected static <A> List<A> listOf(A first, A... rest) throws Exception {
        return new ArrayList<>(first);
    }

    enum State { ON, OFF }

    record Pair(int a, int b) { }

    interface Listener {
        void changed(State state);
    }
}
