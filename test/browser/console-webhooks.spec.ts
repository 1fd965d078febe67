import { ConsoleBrowser } from '../support/console-page';
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
  await window.button('Copy the secret').click();

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

it('an administrator gives a service a credential, disables and deletes it', async () => {
  const window = await browser.signedIn('admin');
  await window.open('/service-credentials');
  await window.sees('No service has a credential yet.');
  await window.button('New credential…').click();
  await window.field('The service that will use it').fill('dubbing');
  await window.confirm('Create it');
  await window.sees('Copy the secret now.');
  await window.button('Copy the secret').click();
  await window.button('Disable dubbing').click();
  await window.confirm('Disable');
  await window.button('Delete dubbing').click();
  await window.confirm('Delete');
  await window.sees('No service has a credential yet.');
  expect(browser.complaints).toEqual([]);
  await window.close();
});
