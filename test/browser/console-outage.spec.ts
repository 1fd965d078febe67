import { ConsoleBrowser } from '../support/console-page';
import { eventually } from '../support/eventually';
import { callFrom, flushTraffic, OFFICE } from '../support/console-world';

const { stack, browser } = ConsoleBrowser.ofFile({
  worker: false,
  env: { TRUSTED_PROXIES: '127.0.0.1' },
});

describe('an outage', () => {
  it('is announced at the top of the page; what was read and what was typed stays, and the notice goes by itself', async () => {
    const accountId = await stack.openAccount('pro');
    const window = await browser.signedIn('account_manager');
    await window.open(`/accounts/${accountId}/new-key`);
    await window.field('Name').fill('Typed before the outage');
    await window.field('Everything, including permissions').check();
    await window.field('Reason').fill('Ticket 4711');
    // The response of a load balancer, or none at all: the browser cannot distinguish them.
    await window.context.setOffline(true);
    await window.button('Create the key').click();
    const notice = window.page.getByText('The server cannot be reached.', { exact: true });
    await notice.waitFor();
    expect(await window.field('Name').inputValue()).toBe('Typed before the outage');
    await window.context.setOffline(false);
    await notice.waitFor({ state: 'detached' });
    await window.button('Create the key').click();
    await window.sees('Copy the secret now.');
    await window.close();
  });

  it('at the first sight of a screen leaves a text and a way to try again, never a white page', async () => {
    const window = await browser.signedIn('account_manager');
    const refused = {
      status: 503,
      contentType: 'application/problem+json',
      body: '{"detail":"Not now.","code":"service_unavailable"}',
    };
    await window.page.route('**/admin/**', (route) => route.fulfill(refused));
    await window.page.goto('/console/accounts');
    await window.sees('This screen cannot be shown');
    await window.sees('Not now.');
    await window.page.unroute('**/admin/**');
    await window.button('Try again').click();
    await window.page.getByRole('heading', { name: 'Accounts', level: 1 }).waitFor();
    await window.close();
  });

  it('a main file that cannot be fetched leaves words and a way to try again, never a white page', async () => {
    const window = await browser.signedIn('account_manager');
    const isMain = /assets\/main-.+\.js/;
    await window.page.route(isMain, (route) => route.abort());
    await window.page.goto('/console/');
    await window.sees('The console could not be loaded');
    await window.page.unroute(isMain);
    await window.button('Try again').click();
    await window.page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    await window.close();
  });

  it('a screen whose file cannot be fetched says so in its shell, also when it is the first', async () => {
    const window = await browser.signedIn('account_manager');
    const ofScreen = /assets\/accounts-page-.+\.js/;
    await window.page.route(ofScreen, (route) => route.abort());
    await window.page.goto('/console/accounts');
    await window.sees('Its file could not be fetched.');
    expect(await window.page.getByText('The console could not be loaded').count()).toBe(0);
    await window.page.unroute(ofScreen);
    await window.button('Try again').click();
    await window.page.getByRole('heading', { name: 'Accounts', level: 1 }).waitFor();
    await window.close();
  });

  it('a grant whose account loads slowly says so at once', async () => {
    await stack.openAccount('pro');
    const window = await browser.signedIn('account_manager');
    await window.open('/accounts');
    let respond: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (respond = resolve));
    await window.page.route('**/credits', (route) => held.then(() => route.continue()));
    await window.button('Grant').first().click();
    await window.page.getByRole('dialog').getByRole('status', { name: 'Loading' }).waitFor();
    respond();
    await window.page.getByRole('textbox', { name: 'Credits' }).waitFor();
    await window.close();
  });

  it('letters of Latin-1 and Latin Extended-A are of the same font, fetched where one is shown', async () => {
    await stack.openAccount('pro');
    const window = await browser.signedIn('account_manager');
    const fetched: string[] = [];
    window.page.on('request', (request) => {
      const file = /inter[\w-]*?(?=-[\w-]{8}\.woff2)/.exec(request.url());
      if (file) fetched.push(file[0]);
    });
    await window.open('/accounts');
    expect(fetched).not.toContainEqual(expect.stringContaining('latin'));
    await window.page.getByLabel('Name or id').fill('Łódź, Müller è ß');
    await eventually(() =>
      expect(fetched.slice(-2).sort()).toEqual(['inter-latin-1', 'inter-latin-extended-a']),
    );
    await window.close();
  });

  it('a screen that has not been visited leaves the menu, says so, and opens by itself when the network returns', async () => {
    const window = await browser.signedIn('account_manager');
    const isScreen = /assets\/accounts-page/;
    await window.page.route(isScreen, (route) => route.abort());
    await window.open('/');
    await window.page.getByRole('link', { name: 'Accounts' }).first().click();
    await window.sees('This screen could not be loaded');
    await window.page
      .getByRole('navigation', { name: 'Screens' })
      .getByRole('link', { name: 'Home' })
      .waitFor();
    await window.page.unroute(isScreen);
    await window.page.getByRole('heading', { name: 'Accounts', level: 1 }).waitFor();
    await window.close();
  });

  /** A key whose page draws a chart. */
  const openedKey = async () => {
    const key = await stack.issueKey();
    await callFrom(stack, key, OFFICE, 2);
    await flushTraffic(stack);
    return `/api-keys/${key.keyId}`;
  };

  it('a connection that breaks once costs nothing: the part is requested again', async () => {
    const window = await browser.signedIn('account_manager');
    let broken = 0;
    await window.page.route(/assets\/chart-drawing/, (route) =>
      (broken += 1) === 1 ? route.abort('connectionreset') : route.continue(),
    );
    await window.open(await openedKey());
    await window.page.locator('.gr-chart .gr-chart-bar').first().waitFor();
    expect(broken).toBeGreaterThan(1);
    await window.close();
  });

  it('a chart that cannot be fetched costs only itself, and is drawn when it is tried again', async () => {
    const window = await browser.signedIn('account_manager');
    const isChart = /assets\/chart-drawing/;
    await window.page.route(isChart, (route) => route.abort());
    await window.open(await openedKey());
    await window.sees('Its file could not be fetched.');
    await window.page.getByRole('heading', { level: 1 }).waitFor();
    await window.page.getByText('As a table').first().waitFor();
    await window.page.unroute(isChart);
    await window.page.locator('.gr-chart').getByRole('button', { name: 'Try again' }).first().click();
    await window.page.locator('.gr-chart .gr-chart-bar').first().waitFor();
    await window.close();
  });

  it('a file that is gone after a release: says so, offers to reload, and does not request it over and over', async () => {
    const window = await browser.signedIn('account_manager');
    const isFile = /assets\/(accounts-page|audit-log-page)/;
    let requests = 0;
    await window.page.route(isFile, (route) => {
      requests += 1;
      return route.fulfill({ status: 404, body: '' });
    });
    await window.open('/');
    await window.page.route(/console\/$/, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<script src="assets/index-of-the-next-release.js">' }),
    );
    await window.page.getByRole('link', { name: 'Accounts' }).first().click();
    await window.sees('A newer release of Greenroom has been installed.');
    const soFar = requests;
    await window.page.getByRole('link', { name: 'Audit log' }).first().click();
    await window.page.getByRole('link', { name: 'Accounts' }).first().click();
    await window.button('Reload the page').first().waitFor();
    expect(requests).toBe(soFar);
    expect(requests).toBeLessThan(10);
    await window.page.unrouteAll();
    await window.button('Reload the page').first().click();
    await window.page.getByRole('heading', { name: 'Accounts', level: 1 }).waitFor();
    await window.close();
  });

  it('the other screens of the menu are fetched beforehand: one that was not visited opens without the network', async () => {
    const window = await browser.signedIn('account_manager');
    const fetched = window.page.waitForResponse(/assets\/audit-log-page/);
    await window.open('/');
    await (await fetched).finished();
    await window.context.setOffline(true);
    await window.page.getByRole('link', { name: 'Audit log' }).first().click();
    await window.page.getByRole('heading', { name: 'Audit log', level: 1 }).waitFor();
    await window.context.setOffline(false);
    await window.close();
  });
});
