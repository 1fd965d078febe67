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
      await queues.sees('does not respond');

      const home = await browser.signedIn('ops');
      await home.open('/');
      await home.sees('voice-review does not respond');
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
