import { seedFirstRun } from '../../src/cli/seed-first-run';
import { codeOf as totp } from '../support/authenticator';
import { ConsoleBrowser, type ConsolePage } from '../support/console-page';
import { ageConfirmations } from '../support/second-factor';
import { Stack } from '../support/stack';
import { addPerson, StaffClient } from '../support/staff-client';
import { TemporaryFolder } from '../support/temporary-folder';

const PASSWORD = 'a phrase that only tests know';

const { stack, browser } = ConsoleBrowser.ofFile({ worker: false, env: { HOST: '0.0.0.0' } });

async function signOut(window: ConsolePage, name: string): Promise<void> {
  await window.choose(name, 'Sign out');
  await window.sees('E-mail address');
}

it('the admin of the first start chooses a password of their own, and can limit the demo account to addresses', async () => {
  const folder = TemporaryFolder.make('greenroom-first-');
  const fresh = await Stack.start({ worker: false, env: { DATA_DIR: folder.path } });
  const window = await ConsoleBrowser.open(fresh);
  try {
    const { admin_email: email = '', admin_password: password = '' } = (await seedFirstRun(fresh.config))!;
    const page = await window.visitor();
    await page.open('/accounts');
    await page.signIn({ email, password });
    await page.sees('Choose your password');
    await page.field('Current password').fill(password);
    await page.page.getByLabel(/^New password( \*)?$/).fill(PASSWORD);
    await page.field('New password again').fill(PASSWORD);
    await page.button('Change the password').click();
    await page.page.getByRole('link', { name: 'Demo' }).click();
    for (const name of ['API keys', 'Allow-lists'])
      await page.page.locator('nav.gr-tabs').getByRole('link', { name, exact: true }).click();
    await page.button('Switch on…').click();
    await page.confirm('Switch on');
    await page.sees('IP allow-lists are switched on for this account.');
    expect(window.complaints).toEqual([]);
  } finally {
    await window.close();
    await fresh.stop();
    folder.remove();
  }
});

it('over plain http at a name of a private network: signs in, with a warning, and offers no passkey', async () => {
  const window = await browser.visitor({ lan: true });
  await window.open('/accounts');
  await window.sees('This page is not encrypted.');
  expect(await window.button('Sign in with a passkey').count()).toBe(0);
  await window.signIn(await addPerson(stack, 'account_manager'));
  await window.page.getByRole('heading', { name: 'Accounts' }).waitFor();
  expect(window.page.url()).toContain('http://greenroom.lan:');
  await window.close();
  const onThisMachine = await browser.visitor();
  await onThisMachine.open('/accounts');
  expect(await onThisMachine.page.getByText('This page is not encrypted.').count()).toBe(0);
  await onThisMachine.close();
});

describe('sign-in', () => {
  it('the first one: a refused wrong password, the right one, a password of their own, then the screen that was wanted', async () => {
    const person = await addPerson(stack, 'account_manager', { oneTime: true });
    const window = await browser.visitor();
    await window.open('/accounts?tier=pro');
    await window.field('E-mail address').fill('not an address');
    await window.button('Sign in').first().click();
    await window.sees('Write an e-mail address, such as ana@example.com.');
    await window.sees('Fill this in.');
    await window.page.locator('input[type=email]:focus').waitFor();
    await window.signIn({ ...person, password: 'not the password' });
    await window.sees('The e-mail address and the password do not go together');
    await window.signIn(person);
    await window.sees('Choose your password');
    await window.field('Current password').fill(person.password);
    await window.page.getByLabel(/^New password( \*)?$/).fill('short');
    await window.field('New password again').fill('short');
    await window.button('Change the password').click();
    await window.sees(/at least 12/i);
    await window.page.getByLabel(/^New password( \*)?$/).fill(PASSWORD);
    await window.field('New password again').fill(PASSWORD);
    await window.button('Change the password').click();
    await window.page.getByRole('heading', { name: 'Accounts' }).waitFor();
    await window.button('Tier: pro').waitFor();
    await window.close();
  });

  it('a second factor is set up, required, and can be replaced by a backup code', async () => {
    const window = await browser.signedIn('support');
    const name = new RegExp(`^${window.person.email.split('@')[0]}$`);
    await window.open('/security');
    await window.button('Set up a second factor').click();
    await window.field('Your password').fill(window.person.password);
    await window.button('Continue').click();
    await window.page.getByRole('img', { name: 'QR code' }).waitFor();
    const secret = (await window.page.locator('code.gr-secret').textContent()) ?? '';
    const codes = window.page.getByRole('list', { name: 'Backup codes' }).getByRole('listitem');
    const [backupCode = ''] = await codes.allTextContents();
    await window.field(/^3\. The code/).fill(totp(secret));
    await window.button('Switch it on').click();
    await window.button('Remove the second factor').waitFor();

    await signOut(window, name.source.slice(1, -1));
    await window.signIn(window.person);
    await window.field('Code').fill('000000');
    await window.button('Continue').click();
    await window.sees('The code is not right');
    await window.field('Code').fill(totp(secret, 1));
    await window.button('Continue').click();
    await window.sees('Home');

    await signOut(window, name.source.slice(1, -1));
    await window.signIn(window.person);
    await window.field('Code').fill(backupCode);
    await window.button('Continue').click();
    await window.sees('Home');
    await window.close();
  });

  it('a passkey is added, signs in without a password or code, is the factor that the role requires, and is removed', async () => {
    const person = await addPerson(stack, 'support');
    const name = person.email.split('@')[0] ?? '';
    const window = await browser.visitor({ passkeys: true });
    await window.open('/sign-in');
    await window.signIn(person);
    await window.sees('Home');
    await window.open('/security');
    await window.sees('You have no passkey yet.');
    await window.button('New passkey…').click();
    await window.field(/^Name/).fill('The blue laptop');
    await window.button('Continue').click();
    await window.sees('The blue laptop: The passkey was added.');
    await window.button('Rename The blue laptop').click();
    await window.field(/^Name/).fill('The green laptop');
    await window.button('Rename').last().click();
    await window.sees('The green laptop: The passkey was renamed.');

    await signOut(window, name);
    await window.button('Sign in with a passkey').click();
    await window.sees('Home');

    await stack.dataSource.query(
      `UPDATE staff_auth.role_policy SET second_factor_required = true WHERE role = 'support'`,
    );
    await signOut(window, name);
    await window.signIn(person);
    await window.sees('Use your passkey');
    await window.button('Use your passkey').click();
    await window.sees('Home');
    await window.open('/security');
    await window.button('Remove The green laptop').click();
    const remove = window.page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true });
    await remove.click();
    await window.sees('The role support requires a second factor.');
    await stack.dataSource.query('UPDATE staff_auth.role_policy SET second_factor_required = false');
    await remove.click();
    await window.sees('The green laptop: The passkey was removed.');

    await signOut(window, name);
    await window.button('Sign in with a passkey').click();
    await window.sees('The passkey was not accepted');
    await window.close();
  });

  it('a change of staff requires the password again when the sign-in is old, and then succeeds', async () => {
    const window = await browser.signedIn('admin');
    await ageConfirmations(stack, window.person.id, 11);
    await addPerson(stack, 'ops');
    await window.open('/staff');
    await window.sees('1 of 1 active member has no second factor.');
    await window.button('Require it of ops').click();
    await window.page.getByRole('dialog').getByText('1 of 1 active member has no second factor.').waitFor();
    await window.confirm('Require it');
    await window.sees('Confirm that it is you');
    await window.field('Your password').fill('not the password');
    await window.button('Confirm').click();
    await window.sees('is not your password');
    await window.field('Your password').fill(window.person.password);
    await window.button('Confirm').click();
    await window.button('Make it optional of ops').waitFor();
    await window.close();
  });

  it('a role that requires a second factor leads to setting one up, then to the screen that was wanted', async () => {
    const window = await browser.signedIn('ops');
    await window.open('/queues');
    await window.sees('Your role requires a second factor.');
    await window.button('Set up a second factor').click();
    await window.field('Your password').fill(window.person.password);
    await window.button('Continue').click();
    await window.page.getByRole('img', { name: 'QR code' }).waitFor();
    const [secret = ''] = await window.page.locator('.gr-secret').allTextContents();
    await window.field(/^3\. The code/).fill(totp(secret));
    await window.button('Switch it on').click();
    await window.page.getByRole('heading', { name: 'Queues' }).first().waitFor();
    await stack.dataSource.query('UPDATE staff_auth.role_policy SET second_factor_required = false');
    await window.close();
  });

  it('the other sessions are listed with their browser, and ended one by one or at once', async () => {
    const phone = await browser.signedIn('support');
    const laptop = await browser.visitor();
    await laptop.open('/security');
    await laptop.signIn(phone.person);
    await laptop.page.getByRole('heading', { name: 'Sign-in and sessions' }).waitFor();
    await new StaffClient(stack.baseUrl).signIn(phone.person);
    await laptop.open('/security');
    const rows = laptop.page.getByRole('table', { name: 'Sessions' }).locator('tbody tr');
    expect(await rows.count()).toBe(3);
    const mine = rows.filter({ hasText: 'this one' });
    expect(await mine.textContent()).toMatch(/Chrome on Linux.*127\.0\.0\.1/);
    expect(await mine.getByRole('button').count()).toBe(0);
    await laptop
      .button(/^End the session/)
      .first()
      .click();
    await laptop.sees(/^The session in .* ended\.$/);
    await rows.nth(2).waitFor({ state: 'detached' });
    await laptop.button('End all others').click();
    await laptop.sees('1 other session ended.');
    expect(await rows.count()).toBe(1);
    await phone.open('/');
    await phone.sees('E-mail address');
    await laptop.open('/security');
    await laptop.sees('this one');
    await phone.close();
    await laptop.close();
  });

  it('a session that ends leaves what was typed, and the change succeeds after signing in again', async () => {
    const accountId = await stack.openAccount('pro');
    const window = await browser.signedIn('account_manager');
    await window.open(`/accounts/${accountId}/new-key`);
    await window.field('Name').fill('Typed before the session ended');
    await window.field('Everything, including permissions').check();
    await window.field('Reason').fill('Ticket 4711');
    await window.context.clearCookies();
    await window.button('Create the key').click();
    await window.sees('Your session has ended');
    await window.page
      .getByRole('dialog')
      .getByLabel(/^Password/)
      .fill(window.person.password);
    await window.page.getByRole('dialog').getByRole('button', { name: 'Sign in' }).click();
    await window.sees('Copy the secret now. It is not shown again.');
    await window.sees('Typed before the session ended');
    await window.close();
  });
});

describe('the menu of a role, and what is behind it', () => {
  const SCREENS = {
    Accounts: '/accounts',
    'API keys': '/api-keys',
    'Audit log': '/audit-log',
    Staff: '/staff',
  };

  it.each([
    ['admin', ['Accounts', 'API keys', 'Audit log', 'Staff']],
    ['account_manager', ['Accounts', 'API keys', 'Audit log']],
    ['support', ['Accounts', 'API keys', 'Audit log']],
    ['ops', ['Audit log']],
  ] as const)(
    '%s sees what the role may do; the rest is refused by the screen and by the server',
    async (role, seen) => {
      const window = await browser.signedIn(role);
      await window.open('/');
      const menu = window.page.getByRole('navigation', { name: 'Screens' });
      const shown = (await menu.getByRole('link').allTextContents()).filter((label) => label in SCREENS);
      // Staff is a tab of Settings.
      expect(shown).toEqual(seen.filter((label) => label !== 'Staff'));
      for (const [label, path] of Object.entries(SCREENS)) {
        await window.open(path);
        const allowed = (seen as readonly string[]).includes(label);
        expect(await window.page.getByRole('heading', { name: 'Not for your role' }).count()).toBe(
          allowed ? 0 : 1,
        );
        const status = await window.page.evaluate<number>(
          `fetch('/admin${path}').then(({ status }) => status)`,
        );
        expect(status).toBe(allowed ? 200 : 403);
      }
      await window.close();
    },
  );

  it('support reads a key and is offered no change; the change itself is refused', async () => {
    const { keyId } = await stack.issueKey();
    const window = await browser.signedIn('support');
    await window.open(`/api-keys/${keyId}`);
    await window
      .button('Explain a request')
      .or(window.page.getByRole('link', { name: 'Explain a request' }))
      .waitFor();
    expect(await window.button('Actions').count()).toBe(0);
    await window.open(`/api-keys/${keyId}/allow-list`);
    await window.sees('The key can be used from every address.');
    expect(await window.button('Save the list').count()).toBe(0);
    const status = await window.page.evaluate<number>(
      `fetch('/admin/api-keys/${keyId}/disable', { method: 'POST', headers: { 'content-type': 'application/json', 'if-match': '*' },
        body: JSON.stringify({ disable_reason: 'unused', reason: 'A test' }) }).then(({ status }) => status)`,
    );
    expect(status).toBe(403);
    await window.close();
  });
});
