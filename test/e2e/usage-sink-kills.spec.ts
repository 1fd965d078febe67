import { CreditLedger } from '../../libs/credits/credit-ledger';
import { UsageCursorRepository } from '../../libs/database/credits/usage-cursor.repository';
import { loadConfig } from '../../libs/config/app-config';
import { eventually } from '../support/eventually';
import { Stack } from '../support/stack';
import { LagoReceiver, OpenMeterReceiver } from '../support/usage-receivers';
import { WorkerProcess } from '../support/worker-process';
import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

const KILLS = 20;
const MINUTES = 10;

const hasMore = (receiver: OpenMeterReceiver, before: number) =>
  eventually(() => expect(receiver.received).toBeGreaterThan(before));

const stack = Stack.ofFile({ worker: false });

it(
  'workers that are killed twenty times under charges lose no line, and every second copy is known by its id',
  async () => {
    const open = await new OpenMeterReceiver().start();
    const lago = await new LagoReceiver(['credits']).start();
    const usageSinks = JSON.stringify([
      { name: 'open', format: 'cloudevents', url: open.url, event: 'credits' },
      { name: 'lago', format: 'lago', url: lago.url, event: 'credits', token: 'lago-key' },
    ]);
    const config = loadConfig({
      DATABASE_URL: stack.config.databaseUrl,
      APP_SECRET: stack.config.requireAppSecret(),
      USAGE_SINKS: usageSinks,
    });
    const keys = await Promise.all([1, 2, 3].map(() => stack.issueKey({ tier: 'enterprise' })));
    const ledger = stack.api.get(CreditLedger, { strict: false });
    // From now on: what was charged before is not usage of theirs.
    const cursors = stack.api.get(UsageCursorRepository, { strict: false });
    await Promise.all(['open', 'lago'].map((name) => cursors.get(name)));
    const charges = { isOn: true };
    const charging = Promise.all(
      keys.map(async ({ keyId, accountId }, index) => {
        for (let number = 0; charges.isOn; number += 1) {
          const requestId = randomUUID();
          await ledger.charge({ keyId, accountId, cost: 1 + (number % 9), operation: 'speech', requestId });
          if (number % 5 === index) await ledger.refund(accountId, requestId);
          await pause(5);
        }
      }),
    );
    const killedIn: string[] = [];
    let worker = new WorkerProcess(config, { usageSinks });
    const stops = [open, lago];
    try {
      await eventually(() => expect(Math.min(open.received, lago.received)).toBeGreaterThan(0));
      for (let kill = 0; kill < KILLS; kill += 1) {
        const before = open.received;
        // Some right when a receiver has a batch and the cursor has not moved, some in between.
        await (kill % 2 === 0 ? hasMore(open, before) : pause(randomInt(1_500)));
        await worker.kill();
        killedIn.push(`${open.received}`);
        worker = new WorkerProcess(config, { usageSinks });
      }
      charges.isOn = false;
      await charging;
      const [{ lines, used }] = await stack.dataSource.query<[{ lines: string; used: string }]>(
        `SELECT count(*) AS lines, sum(amount) AS used FROM credit_ledger WHERE kind <> 'grant'`,
      );
      await eventually(
        () => expect([open.counted.size, lago.counted.size]).toEqual([Number(lines), Number(lines)]),
        { withinMs: 3 * 60_000 },
      );
      expect([open.total, lago.total]).toEqual([Number(used), Number(used)]);
      expect(killedIn).toHaveLength(KILLS);
      console.info(
        `${lines} lines, ${used} credits; ${open.received} events received by the first, ${open.duplicates} of them known by their id; ` +
          `the second refused ${lago.duplicates} that it had; missing 0`,
      );
    } finally {
      charges.isOn = false;
      await charging;
      await worker.kill();
      stops.forEach((receiver) => receiver.stop());
    }
  },
  MINUTES * 60_000,
);
