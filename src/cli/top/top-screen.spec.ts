import type { TopFigures } from './top-figures';
import { drawTop } from './top-screen';

const QUEUE = { paused: false, waiting: 12, running: 2, scheduled: 1, failed: 0, error: null };

function figures(more: Partial<TopFigures> = {}): TopFigures {
  return {
    at: '2026-11-23T05:00:00.000Z',
    verdicts: ['No worker runs: 12 voices wait, since 05:01.'],
    queues: ['voice-review', 'webhooks', 'email', 'chat'].map((name) => ({
      name,
      ...QUEUE,
      oldest_waiting_secs: 65,
    })),
    workers: Array.from({ length: 40 }, (_, n) => ({
      name: `worker host-with-a-long-name.example.com/${n}`,
      state: 'healthy',
      running: 1,
      slots: 2,
      started_secs_ago: 7_200,
    })),
    reviews: { per_minute: 31.4, failed_per_minute: 0, dead_letters: 3 },
    outbox: { messages: 5, oldest_secs: 0.4, waiting_turn: 4_988, scheduled: 1, failing: 0 },
    api: Array.from({ length: 6 }, (_, n) => ({
      name: `api host/${n}`,
      requests_per_sec: 120.5,
      refusals_per_sec: 3,
      requests: 1_000_000,
    })),
    ...more,
  };
}

describe('drawTop', () => {
  it('fits a terminal of 80 by 24, and counts what it leaves out', () => {
    const lines = drawTop(figures(), { columns: 80, rows: 24 });
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
    const text = lines.join('\n');
    expect(lines[0]).toBe('No worker runs: 12 voices wait, since 05:01.');
    expect(text).toMatch(/^voice-review +running +12 +2 +1 +0 +1 min$/m);
    expect(text).toMatch(/^and \d+ more$/m);
    expect(text).toMatch(/^api host\/0 +120\.5 +3\.0 +1000000$/m);
    expect(text).toMatch(/^worker host-with-a-long-name.example.com\/0 +healthy +1\/2 +2 h$/m);
  });

  it.each([
    [40, 10],
    [1, 1],
    [200, 60],
  ])('fits any other, such as %i by %i', (columns, rows) => {
    const lines = drawTop(figures(), { columns, rows });
    expect(lines.length).toBeLessThanOrEqual(rows);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(columns);
  });

  it('says that nothing runs, that a queue does not respond, and that it is not up to date', () => {
    const away = {
      ...QUEUE,
      name: 'webhooks',
      oldest_waiting_secs: null,
      waiting: null,
      error: 'does not respond',
    };
    const text = drawTop(
      figures({ workers: [], queues: [away] }),
      { columns: 80, rows: 24 },
      'connection refused',
    ).join('\n');
    expect(text).toContain('WORKER\nnone\n');
    expect(text).toMatch(/^webhooks +does not respond +-/m);
    expect(text).toContain('NOT UP TO DATE: connection refused');
  });

  it('lets no name move the cursor', () => {
    const [worker] = figures().workers;
    const text = drawTop(figures({ workers: [{ ...worker!, name: 'w\u001B[2J' }] }), {
      columns: 80,
      rows: 24,
    });
    expect(text.join('')).not.toContain('\u001B');
  });
});
