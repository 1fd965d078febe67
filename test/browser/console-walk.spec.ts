import { readFileSync } from 'node:fs';
import { ConsoleBrowser, type ConsolePage } from '../support/console-page';
import { AGENCY, callFrom, flushTraffic, furnish, OFFICE, type World } from '../support/console-world';
import { eventually } from '../support/eventually';
import { StaffClient } from '../support/staff-client';
import { storeVoice } from '../support/stored-voices';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const ANY = { 'if-match': '*' };

const { stack, browser } = ConsoleBrowser.ofFile({ worker: false, env: { TRUSTED_PROXIES: '127.0.0.1' } });
let window: ConsolePage;
let world: World;

beforeAll(async () => {
  world = await furnish(stack);
  window = await browser.signedIn('admin');
});

/** How far something sticks out of what holds it, in pixels; and the page out of the window. */
const overflows = ({ page }: ConsolePage, selector: string) =>
  page.evaluate<string[]>(`[document.documentElement, ...document.querySelectorAll('${selector}')]
    .filter((element) => element.scrollWidth > element.clientWidth + 1)
    .map((element) => element.className + ' ' + element.scrollWidth + ' > ' + element.clientWidth)`);

const dialog = () => window.page.getByRole('dialog');

describe('a key', () => {
  it('of a suspended account is called refused in the list, on its page and among the keys of the account', async () => {
    const { keyId, accountId } = await stack.issueKey({ name: 'Of a suspended account' });
    await world.manager.post(`/admin/accounts/${accountId}/suspend`, { reason: 'Not paid' }, ANY);
    for (const path of [
      `/api-keys?account_id=${accountId}`,
      `/api-keys/${keyId}`,
      `/accounts/${accountId}/api-keys`,
    ]) {
      await window.open(path);
      await window.sees('refused: account suspended');
    }
  });

  it('has the bulk change that disabled it in its history, on its page', async () => {
    const { keyId, accountId } = await stack.issueKey({ name: 'Disabled with others' });
    const body = {
      action: 'disable',
      disable_reason: 'exposed_publicly',
      reason: 'Found in a public repository',
      confirm: '1',
    };
    await world.manager.post(`/admin/bulk-key-changes?account_id=${accountId}`, body);
    await window.open(`/api-keys/${keyId}`);
    await window.page
      .getByRole('list', { name: 'History, newest first' })
      .getByText('disabled 1 key of')
      .waitFor();
    await window.sees('Found in a public repository');
    await window.page.getByRole('link', { name: 'All 1' }).click();
    await window.page.waitForURL((url) => url.searchParams.get('target') === keyId);
    await window.sees('Found in a public repository');
  });

  it('keeps its expiry to the millisecond when its name is edited, and no other change is recorded', async () => {
    const expiry = '2031-03-04T05:06:07.890Z';
    const { keyId } = await stack.issueKey({ name: 'Expires some day' });
    await world.manager.patch(`/admin/api-keys/${keyId}`, { expires_at: expiry, reason: 'Trial' }, ANY);
    await window.open(`/api-keys/${keyId}`);
    await window.choose('Actions', 'Edit…');
    await dialog().getByLabel('Name').fill('Has another name');
    await window.confirm('Save');
    await window.sees('The key has been saved.');
    const { body } = await world.manager.get(`/admin/api-keys/${keyId}`);
    expect(body).toMatchObject({ name: 'Has another name', expires_at: expiry });
    const [event] = await stack.dataSource.query<{ after: object }[]>(
      'SELECT after FROM audit_event WHERE target_id = $1 ORDER BY id DESC LIMIT 1',
      [keyId],
    );
    expect(event?.after).toEqual({ name: 'Has another name' });
  });

  it('offers permissions whose names do not run into each other, at any width', async () => {
    const each = await browser.signedIn('account_manager', { width: 1440 });
    for (const width of [360, 820, 1280, 1440]) {
      await each.page.setViewportSize({ width, height: 860 });
      await each.open(`/accounts/${world.accountId}/new-key`);
      expect(await overflows(each, 'fieldset label, fieldset .mantine-Checkbox-body')).toEqual([]);
    }
    await each.close();
  });

  it('and its allow-list stay within the window at 820 and 1280 px', async () => {
    await world.manager.send(
      'PUT',
      `/admin/api-keys/${world.keyId}/allowed-ips`,
      { entries: [{ address: OFFICE }], confirm: true, reason: 'A test' },
      ANY,
    );
    await callFrom(stack, world, AGENCY, 2);
    await callFrom(stack, world, '2001:db8:1234:5678:9abc:def0:1234:5678', 2);
    await flushTraffic(stack);
    const each = await browser.signedIn('account_manager');
    for (const width of [820, 1280]) {
      await each.page.setViewportSize({ width, height: 860 });
      for (const path of [`/api-keys/${world.keyId}`, `/api-keys/${world.keyId}/allow-list`]) {
        await each.open(path);
        await each.sees('2001:db8:');
        expect([width, path, await overflows(each, '.gr-panel')]).toEqual([width, path, []]);
      }
    }
    await each.close();
  });
});

describe('an allow-list', () => {
  it('a suggestion adds to what was typed, and can be taken back', async () => {
    const key = await furnish(stack, { name: 'With a draft' });
    await window.open(`/api-keys/${key.keyId}/allow-list`);
    const text = window.field('Addresses and CIDR blocks');
    await text.fill(`192.0.2.1 # typed by hand\n${OFFICE}`);
    await window.button('Suggest a list').click();
    await window.sees('1 suggested entry was added.');
    expect(await text.inputValue()).toMatch(
      new RegExp(`^192\\.0\\.2\\.1 # typed by hand\n${OFFICE}\n${AGENCY}`),
    );
    await window.button('Take it back').click();
    expect(await text.inputValue()).toBe(`192.0.2.1 # typed by hand\n${OFFICE}`);
    await text.fill('');
  });

  it('that does not exist is not offered for removal', async () => {
    const key = await stack.issueKey({ name: 'Without a list' });
    await window.open(`/api-keys/${key.keyId}/allow-list`);
    await window.button('Save the list').waitFor();
    expect(await window.button('Remove the list').count()).toBe(0);
  });
});

describe('a voice', () => {
  it('whose review is done offers no cancelling; one under way does, and the way out is not called Cancel', async () => {
    const done = await storeVoice(stack, { name: 'Graded', enqueue: false });
    await stack.dataSource.query(`UPDATE voice SET review_state = 'completed' WHERE id = $1`, [done]);
    await window.open(`/voices/${done}`);
    await window.button('Actions').click();
    await window.page.getByRole('menuitem', { name: 'Review again…' }).waitFor();
    expect(await window.page.getByText('Cancel the review…').count()).toBe(0);

    const waiting = await storeVoice(stack, { name: 'Waits', enqueue: false });
    await window.open(`/voices/${waiting}`);
    await window.button('Cancel the review…').click();
    await dialog().getByRole('button', { name: 'Keep the review' }).waitFor();
    const actions = await dialog().getByRole('button').allTextContents();
    expect(actions.slice(-2)).toEqual(['Keep the review', 'Cancel the review']);
    await window.confirm('Cancel the review');
    await window.sees('The review was cancelled.');
  });

  it('whose recording is no longer in the store says so when it is to be played', async () => {
    const id = await storeVoice(stack, { name: 'Lost recording', enqueue: false });
    await stack.dataSource.query(
      'DELETE FROM audio_object WHERE digest IN (SELECT audio_digest FROM voice_sample WHERE voice_id = $1)',
      [id],
    );
    await window.open(`/voices/${id}`);
    await window.field('Why are you listening?').fill('Ticket 4711');
    await window.button('Listen').click();
    await window.sees('The recording is no longer in the audio store');
  });
});

describe('staff', () => {
  it('whose own role changes see the menu of the new role without a reload', async () => {
    const me = await browser.signedIn('admin');
    await me.open('/staff');
    await me.page.getByRole('link', { name: 'Service credentials' }).waitFor();
    await me.button(`Actions for ${me.person.email}`).click();
    await me.page.getByRole('menuitem', { name: 'Change the role…' }).click();
    await me.page.getByRole('dialog').getByLabel('Role').selectOption('support');
    await me.confirm('Change the role');
    await me.page.getByRole('link', { name: 'Service credentials' }).waitFor({ state: 'detached' });
    await me.close();
  });

  it('whose role was changed by another see it with the first refusal', async () => {
    const me = await browser.signedIn('account_manager');
    await me.open('/accounts');
    const admin = await StaffClient.signedIn(stack, 'admin');
    const { body } = await admin.get(`/admin/staff?search=${me.person.email}`);
    const id = (body.items as { id: string }[])[0]!.id;
    await admin.patch(`/admin/staff/${id}`, { role: 'ops', reason: 'Another team' }, ANY);
    await me.button('New account').click();
    await me.page.getByRole('dialog').getByLabel('Name').fill('Not to be');
    await me.confirm('Open the account');
    await me.page.getByRole('link', { name: 'Operations' }).waitFor();
    await me.close();
  });

  it('menus of actions are what axe expects of a menu', async () => {
    await window.open(`/api-keys/${world.keyId}`);
    await window.button('Actions').click();
    await window.page.getByRole('menuitem', { name: 'Delete…' }).waitFor();
    await window.page.evaluate(AXE);
    const found = await window.page.evaluate<string[]>(
      `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id }) => id))`,
    );
    expect(found).toEqual([]);
    await window.page.keyboard.press('Escape');
  });

  it('backup codes are never split within a code', async () => {
    const me = await browser.signedIn('support', { width: 360 });
    await me.open('/security');
    await me.button('Set up a second factor').click();
    await me.field('Your password').fill(me.person.password);
    await me.button('Continue').click();
    await me.page.getByRole('img', { name: 'QR code' }).waitFor();
    const lines = await me.page
      .getByRole('list', { name: 'Backup codes' })
      .getByRole('listitem')
      .evaluateAll((codes) =>
        codes.map((code) => {
          const { clientHeight, clientWidth, scrollWidth } = code as unknown as Record<string, number>;
          return clientHeight! < 40 && scrollWidth! <= clientWidth!;
        }),
      );
    expect(lines.length).toBeGreaterThan(5);
    expect(lines).not.toContain(false);
    await me.close();
  });
});

describe('a dialog', () => {
  const open = async (name = 'For a dialog') => {
    const { keyId } = await stack.issueKey({ name });
    await window.open(`/api-keys/${keyId}`);
    await window.choose('Actions', 'Disable…');
    await dialog()
      .getByLabel(/^Reason/)
      .waitFor();
    return keyId;
  };

  it('that nothing was typed into closes with Escape, and focus returns to where it was', async () => {
    await open();
    await window.page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await eventually(async () =>
      expect(await window.page.evaluate('document.activeElement.textContent')).toBe('Actions'),
    );
  });

  it('that something was typed into asks before Escape or a click beside it throws it away', async () => {
    await open();
    await dialog()
      .getByLabel(/^Reason/)
      .fill('Half a sentence');
    await window.page.keyboard.press('Escape');
    await window.sees('Discard what you have typed?');
    await window.button('Keep typing').click();
    expect(
      await dialog()
        .getByLabel(/^Reason/)
        .inputValue(),
    ).toBe('Half a sentence');
    await window.page.mouse.click(5, 400);
    await window.sees('Discard what you have typed?');
    await window.button('Discard').click();
    await dialog().waitFor({ state: 'detached' });
  });

  it('is sent with Ctrl and Enter from a field of several lines', async () => {
    await open();
    await dialog()
      .getByLabel(/^Reason/)
      .fill('Sent by the keyboard');
    await window.page.keyboard.press('Control+Enter');
    await window.sees('The key is disabled.');
  });

  it('says at the field, in a sentence, what is missing', async () => {
    await open();
    await dialog().getByRole('button', { name: 'Disable', exact: true }).click();
    await dialog().getByText('Say why, in at least 3 characters.').waitFor();
    expect(
      await dialog()
        .getByLabel(/^Reason/)
        .getAttribute('aria-invalid'),
    ).toBe('true');
  });

  it('offers the last five reasons of this person, and holds one for a while when asked to', async () => {
    for (const reason of ['Ticket 1', 'Ticket 2', 'Ticket 3', 'Ticket 4', 'Ticket 5', 'Ticket 6']) {
      await open();
      await window.confirm('Disable', reason);
      await window.sees('The key is disabled.');
    }
    await open();
    const recent = dialog().getByRole('group', { name: 'Entered before' }).getByRole('button');
    expect(await recent.allTextContents()).toEqual([
      'Ticket 6',
      'Ticket 5',
      'Ticket 4',
      'Ticket 3',
      'Ticket 2',
    ]);
    await recent.nth(2).click();
    expect(
      await dialog()
        .getByLabel(/^Reason/)
        .inputValue(),
    ).toBe('Ticket 4');
    await dialog().getByLabel('Fill it in for the next 30 minutes').check();
    await dialog().getByRole('button', { name: 'Disable', exact: true }).click();
    await window.sees('The key is disabled.');
    await window.choose('Actions', 'Enable…');
    expect(
      await dialog()
        .getByLabel(/^Reason/)
        .inputValue(),
    ).toBe('Ticket 4');
    await window.page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });

    const other = await browser.signedIn('account_manager');
    await other.open(`/api-keys/${world.keyId}`);
    await other.choose('Actions', 'Disable…');
    expect(await other.page.getByRole('group', { name: 'Entered before' }).count()).toBe(0);
    await other.close();
  });

  it('a reason that was given for a case lets staff listen to one voice after the other, by Space', async () => {
    const voices = [
      await storeVoice(stack, { name: 'One', enqueue: false }),
      await storeVoice(stack, { name: 'Two', enqueue: false }),
    ];
    // Nothing that the tests before this one have given.
    await window.open(`/voices/${voices[0]}`);
    await window.page.evaluate('localStorage.clear()');
    await window.page.reload();
    await window.field('Why are you listening?').fill('Ticket 99: complaints');
    expect(await window.field('Fill it in for the next 30 minutes').isChecked()).toBe(true);
    await window.button('Listen').click();
    await window.button('Pause').waitFor();
    await window.open(`/voices/${voices[1]}`);
    await window.sees('Press Space to listen.');
    await window.sees('for: Ticket 99: complaints');
    expect(await window.field('Why are you listening?').count()).toBe(0);
    await window.page.keyboard.press(' ');
    await window.button('Pause').waitFor();
    await window.page.keyboard.press(' ');
    await window.button('Play').waitFor();
  });
});
