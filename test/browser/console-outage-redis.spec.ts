import { spawnSync } from 'node:child_process';
import { ConsoleBrowser } from '../support/console-page';
import { freePort, startRedisServer } from '../support/redis-server';
import { Stack } from '../support/stack';

const itWithRedis = spawnSync('redis-server', ['--version']).status === 0 ? it : it.skip;

itWithRedis(
  'Redis is gone: operators see it without a reload, everything else continues, and the notice goes by itself',
  async () => {
    const port = await freePort();
    let redis = await startRedisServer(port);
    const stack = await Stack.start({ env: { REDIS_URL: redis.url } });
    const browser = await ConsoleBrowser.open(stack);
    try {
      const queues = await browser.signedIn('ops');
      await queues.open('/queues');
      await queues.sees(/On Redis\. Updates live\./);
      await redis.stop();
      const outage = 'Redis does not respond: no review starts, and no webhook or alert is sent';
      await queues.sees(outage);

      const home = await browser.signedIn('ops');
      await home.open('/');
      await home.sees(outage);
      const waits = home.page.getByRole('list', { name: 'What waits for you, worst first' });
      expect((await waits.allInnerTexts()).join()).not.toMatch(/(voice-review|webhooks|email|chat) does/);
      const manager = await browser.signedIn('account_manager');
      await manager.open(`/accounts/${await stack.openAccount()}/new-key`);
      await manager.field('Name').fill('Created without a queue');
      await manager.field('Everything, including permissions').check();
      await manager.field('Reason').fill('Ticket 4711');
      await manager.button('Create the key').click();
      await manager.sees('Copy the secret now.');

      redis = await startRedisServer(port);
      await queues.page.getByText('does not respond').first().waitFor({ state: 'detached' });
      expect(browser.complaints).toEqual([]);
    } finally {
      await browser.close();
      await stack.stop();
      await redis.stop();
    }
  },
);
