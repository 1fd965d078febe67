import { ConsoleBrowser } from '../support/console-page';
import { eventually } from '../support/eventually';
import { Stack } from '../support/stack';
import { WebhookReceiver } from '../support/webhook-receiver';

let stack: Stack;
let browser: ConsoleBrowser;
let receiver: WebhookReceiver;

beforeAll(async () => {
  stack = await Stack.start({ env: { WEBHOOK_PRIVATE_NETWORKS: 'allow' } });
  browser = await ConsoleBrowser.open(stack);
  receiver = await WebhookReceiver.start();
});

afterAll(async () => {
  await browser.close();
  await receiver.stop();
  await stack.stop();
});

it('an account manager makes a webhook, copies its secret, tests it and reads what was sent', async () => {
  const window = await browser.signedIn('account_manager');
  await window.open(`/accounts/${await stack.openAccount()}/webhooks`);
  await window.sees('The account receives no events.');
  await window.button('New webhook…').click();
  await window.field('Name').fill('Their <b>server</b>');
  await window.field('Address').fill('gopher://example.org');
  await window.field('voice.reviewed').check();
  await window.confirm('Create it');
  await window.sees(/The URL 'gopher:\/\/example.org' is not accepted/);
  await window.field('Address').fill(receiver.url('/hook'));
  await window.confirm('Create it');
  await window.sees('Copy the secret now.');
  await window.button('New webhook…').click();
  await window.field('Name').fill('Their other server');
  await window.field('Address').fill(receiver.url('/other'));
  await window.field('voice.reviewed').check();
  await window.confirm('Create it');
  await window.page.getByLabel('The secret', { exact: true }).nth(1).waitFor();
  for (const which of [0, 1]) await window.button('Copy the secret').nth(which).click();

  await window.page.getByRole('link', { name: 'Their <b>server</b>' }).click();
  await window.choose('Actions', 'Send a test');
  await window.confirm('Send a test');
  await window.sees('accepted with 200');
  await window.button(/^Show webhook\.test/).click();
  await window.page.getByLabel('What was sent').getByText('"webhook.test"').waitFor();
  await window.page.keyboard.press('Escape');
  await window.page.getByRole('link', { name: 'Webhooks', exact: true }).click();
  await window.page
    .getByRole('figure', { name: 'Webhook deliveries by day' })
    .getByText(/^1 event delivered, 0 failed/)
    .waitFor();
  expect(browser.complaints).toEqual([]);
  await window.close();
});

it('an account manager has a receiver that fails on Home, one click from it', async () => {
  const window = await browser.signedIn('account_manager');
  const accountId = await stack.openAccount();
  await stack.dataSource.query('UPDATE account SET manager_id = $1 WHERE id = $2', [
    window.person.id,
    accountId,
  ]);
  await stack.dataSource.query(
    `INSERT INTO webhook_endpoint (id, account_id, name, url, events, sealed_secret, secret_hint, failing_since)
     VALUES (gen_random_uuid(), $1, 'Fails', 'https://hooks.example.com', '{voice.reviewed}', 'x', 'last', now())`,
    [accountId],
  );
  await window.open('/');
  await window.page.getByRole('link', { name: 'Webhooks of 1 customer fail' }).click();
  await window.page.getByRole('link', { name: 'Fails', exact: true }).waitFor();
  await window.close();
});

it('an account manager adds a contact, tests it, gives the account a rule, and reads what was told', async () => {
  const window = await browser.signedIn('account_manager');
  const accountId = await stack.openAccount();
  await window.open(`/accounts/${accountId}/settings`);
  await window.sees('The customer receives alerts through webhooks only.');
  await window.button('New contact…').click();
  await window.field('Name').fill('Their <b>channel</b>');
  await window.field('Reached by').selectOption('chat');
  await window.field('URL of the hook').fill('http://169.254.169.254/latest');
  await window.confirm('Add it');
  await window.sees(/169\.254\.169\.254 is an internal address/);
  await window.field('URL of the hook').fill(receiver.url('/chat'));
  await window.confirm('Add it');
  await window.sees('The contact was added.');
  await window.button('Test Their <b>channel</b>').click();
  await window.confirm('Send a test');
  await window.sees('A test is on its way.');
  await eventually(() => expect(receiver.at('/chat')).toHaveLength(1));

  await window.page.getByRole('link', { name: 'Alerts', exact: true }).click();
  await window.sees('No separate rules');
  await window.sees('A test message.');
  await window.button('New rule…').click();
  await window.field('From (percent)').fill('0');
  await window.confirm('Add it');
  await window.sees(/percent from 1 to 100/);
  await window.field('From (percent)').fill('50');
  await window.confirm('Add it');
  await window.sees('at 50 %');
  await window.button('Edit Credits used at 50 %').click();
  await window.field('The rule is on').uncheck();
  await window.confirm('Save');
  await window.page.getByRole('cell', { name: 'off', exact: true }).waitFor();
  expect(browser.complaints).toEqual([]);
  await window.close();
});

it('an administrator gives a service a credential, disables and deletes it', async () => {
  const window = await browser.signedIn('admin');
  await window.open('/service-credentials');
  await window.sees('No service has a credential yet.');
  await window.button('New credential…').click();
  await window.field('The service that will use it').fill('dubbing');
  await window.confirm('Create it');
  await window.sees('Copy the secret now.');
  await window.button('New credential…').click();
  await window.field('The service that will use it').fill('captions');
  await window.confirm('Create it');
  await window.sees('The secret of captions');
  await window.sees('The secret of dubbing');
  for (const which of [0, 1]) await window.button('Copy the secret').nth(which).click();
  await window.button('Disable captions').click();
  await window.confirm('Disable');
  await window.button('Delete captions').click();
  await window.confirm('Delete');
  await window.button('Disable dubbing').click();
  await window.confirm('Disable');
  await window.button('Delete dubbing').click();
  await window.confirm('Delete');
  await window.sees('No service has a credential yet.');
  expect(browser.complaints).toEqual([]);
  await window.close();
});
