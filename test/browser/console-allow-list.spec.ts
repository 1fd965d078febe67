import { ConsoleBrowser, type ConsolePage } from '../support/console-page';
import { AGENCY, callFrom, flushTraffic, furnish, OFFICE, type World } from '../support/console-world';

const env = { TRUSTED_PROXIES: '127.0.0.1', APPROVAL_OF_LIST_REMOVAL: 'on' };
const { stack, browser } = ConsoleBrowser.ofFile({ worker: false, env });
let window: ConsolePage;
let world: World;

beforeAll(async () => {
  window = await browser.signedIn('account_manager');
});

beforeEach(async () => {
  world = await furnish(stack);
  await window.open(`/api-keys/${world.keyId}/allow-list`);
});

const text = () => window.field('Addresses and CIDR blocks');

describe('an allow-list', () => {
  it('is drafted with three mistakes, fixed by clicks, run dry, saved after a warning, enforced, and undone', async () => {
    const save = window.button('Save the list');
    const place = await save.boundingBox();
    await text().fill('203.0.113.5/24 # the office\n192.0.2.300\n010.0.0.1');
    await window.sees('3 mistakes to fix before it can be saved.');
    expect(await save.isDisabled()).toBe(true);
    expect(await save.boundingBox()).toEqual(place);
    await window.button('Write 203.0.113.0/24').click();
    await window.sees('2 mistakes to fix');
    await window
      .button(/^(Remove|Write)/)
      .first()
      .click();
    await window.sees('1 mistake to fix');
    await window
      .button(/^(Remove|Write)/)
      .first()
      .click();
    await window.sees(/would be stored/);
    expect(await text().inputValue()).toContain('203.0.113.0/24 # the office');

    await window.field('Is this address allowed?').fill(AGENCY);
    await window.sees(`No: ${AGENCY} is on none of the entries.`);
    await window.field('Is this address allowed?').fill(OFFICE);
    await window.sees(`Yes: ${OFFICE} is let in by 203.0.113.0/24.`);
    await window.sees('3 of 8 requests would have been refused.');

    await window.field('Reason').fill('Ticket 4711');
    await window.field('Undo automatically').selectOption('15');
    await window.button('Save the list').click();
    await window.sees('This may lock out the customer');
    await window.sees(new RegExp(`would have refused 3 of the requests of the last 7 days, from ${AGENCY}`));
    expect(await callFrom(stack, world, AGENCY)).toBe(200);
    await window.button('Save it anyway').click();
    await window.sees('The allow-list has been saved.');
    await window.sees(/In effect on 1 server, \d+ ms after it was saved\./);
    expect([await callFrom(stack, world, AGENCY), await callFrom(stack, world, OFFICE)]).toEqual([403, 200]);

    await window.sees(/14:\d\d/);
    const changer = window.page.getByTitle(window.person.email).first();
    expect(await changer.textContent()).toBe(window.person.email.split('@')[0]);
    await window.button('Undo it now…').click();
    await window.confirm('Undo it');
    await window.sees('The previous list applies again.');
    expect(await callFrom(stack, world, AGENCY)).toBe(200);
  });

  it('that is long, once saved, shows that and its undo timer, here and on the page of the key', async () => {
    await text().fill(Array.from({ length: 30 }, (_, at) => `203.0.113.${2 * at + 10}`).join('\n'));
    await window.field('Reason').fill('Ticket 4711');
    await window.button('Save the list').click();
    await window.button('Save it anyway').click();
    const saved = window.page.getByText('The allow-list has been saved.');
    await saved.waitFor();
    expect((await saved.boundingBox())?.y).toBeGreaterThan(0);
    await window.open(`/api-keys/${world.keyId}`);
    await window.sees(
      /allow-list was changed\. It is undone in 14:\d\d, unless a member of staff keeps it\./,
    );
  });

  it('is pasted as an e-mail, shown, and written as the blocks it means; a mistake keeps only itself out of the dry run', async () => {
    await text().fill(
      `Hi Ana,\nour office is “${OFFICE}”, the agency ${AGENCY}/32 and the VPN 192.0.2.1-192.0.2.3.\nWrong: 192.0.2.300\nSam`,
    );
    await window.sees(/1 entry in another notation · 12 words ignored: Hi, Ana, our, office, is/);
    await window.sees('2 mistakes to fix before it can be saved.');
    await window.sees('Without 2 entries with a mistake.');
    await window.sees('All 8 requests would have been let in.');
    const rows = window.page
      .getByRole('list', { name: 'The entries as they are read' })
      .getByRole('listitem');
    expect((await rows.first().boundingBox())?.height).toBeLessThanOrEqual(33);
    await window.button('Write as a list').click();
    await window.sees('1 mistake to fix before it can be saved.');
    expect(await text().inputValue()).toBe(
      `${OFFICE}\n${AGENCY}/32\n192.0.2.1/32\n192.0.2.2/31\n192.0.2.300\n`,
    );
    await window.button('Remove').click();
    await window.sees('4 entries would be stored.');
  });

  it('a pasted range is one mistake, one click and one warning, and keeps its note', async () => {
    await text().fill('10.0.0.1-10.0.0.9 (VPN)\n203.0.113.7 - office');
    await window.sees('1 mistake to fix before it can be saved.');
    expect(await window.button(/^Write/).count()).toBe(1);
    await window.button('Write these').click();
    await window.sees('5 entries would be stored.');
    expect(await text().inputValue()).toBe(
      '10.0.0.1/32 # VPN\n10.0.0.2/31 # VPN\n10.0.0.4/30 # VPN\n10.0.0.8/31 # VPN\n203.0.113.7 - office',
    );
    const entries = window.page.getByRole('list', { name: 'The entries as they are read' });
    expect(await entries.getByText('look twice').count()).toBe(1);
    await entries.getByText(/10\.0\.0\.1-10\.0\.0\.9 is a private network/).waitFor();
    expect(await entries.getByRole('listitem').last().textContent()).toContain('office');
  });

  it('is saved as it was corrected, before the server has read the correction', async () => {
    await text().fill('203.0.113.0/33');
    await window.sees('1 mistake to fix before it can be saved.');
    await window.field('Reason').fill('Ticket 4711');
    // The correction is sent while the mistake is all that the server has read.
    let readOn = () => {};
    const saved = new Promise<void>((resolve) => (readOn = resolve));
    await window.page.route('**/allowed-ips/check', (route) => saved.then(() => route.continue()));
    await text().fill('203.0.113.0/24\n198.51.100.0/24');
    await window.field('Reason').press('Control+Enter');
    await window.sees('The allow-list has been saved.');
    readOn();
    await window.page.unrouteAll({ behavior: 'wait' });
  });

  it('takes an observed address with one click, an end for an entry, and keeps the change for good', async () => {
    await window.button(`Add ${OFFICE}`).click();
    await window.button(`Add ${AGENCY}`).click();
    await window.sees('All 8 requests would have been let in.');
    await window.page.getByText(`Note, end of ${AGENCY}`).click();
    await window.field(`End of ${AGENCY}`).fill('2099-01-01T12:00');
    await window.field('Reason').fill('Ticket 4711');
    await window.field('Undo automatically').selectOption('60');
    await window.button('Save the list').click();
    await window.sees('The allow-list has been saved.');
    await window.button('Keep the change…').click();
    await window.confirm('Keep it');
    await window.sees('The change is kept.');
    const { body } = await world.manager.get(`/admin/api-keys/${world.keyId}/allowed-ips`);
    expect(body).toMatchObject({
      undo: { due_at: null },
      entries: [
        { cidr: `${AGENCY}/32`, ends_at: '2099-01-01T11:00:00.000Z' },
        { cidr: `${OFFICE}/32`, ends_at: null },
      ],
    });
  });

  it('is removed when a second person approves it, who finds it on their Home', async () => {
    const path = `/admin/api-keys/${world.keyId}/allowed-ips`;
    const list = { entries: [{ address: OFFICE }], confirm: true, reason: 'A test' };
    await world.manager.send('PUT', path, list, { 'if-match': '*' });
    await window.open(`/api-keys/${world.keyId}/allow-list`);
    await text().fill('');
    await window.field('Reason').fill('The customer moved');
    await window.button('Remove the list').click();
    await window.button('Save it anyway').click();
    await window.sees('Nothing has changed yet: a second person has to approve this.');
    await window.sees(/Remove the allow-list of/);
    expect(await callFrom(stack, world, AGENCY)).toBe(403);

    const second = await browser.signedIn('admin', { width: 360 });
    await second.open('/');
    await second.page.getByRole('link', { name: '1 change waits for your approval' }).click();
    await second.button('Details').click();
    await second.page.getByRole('complementary').getByText('The customer moved').waitFor();
    await second.button('Approve…').click();
    await second.page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await second.sees('The change is applied.');
    expect(await callFrom(stack, world, AGENCY)).toBe(200);
    await second.close();
  });

  it('when two people change it, the second sees what the first has changed, and loses no draft', async () => {
    await text().fill(`${OFFICE}\n${AGENCY}\n192.0.2.1 # mine`);
    const theirs = { entries: [{ address: OFFICE }, { address: AGENCY }], confirm: true, reason: 'Faster' };
    const path = `/admin/api-keys/${world.keyId}/allowed-ips`;
    await world.manager.send('PUT', path, theirs, { 'if-match': '*' });
    await window.field('Reason').fill('Ticket 4711');
    await window.button('Save the list').click();
    await window.sees('This list has changed since you opened it.');
    await window.sees(`${AGENCY}/32 was added by ${world.manager.person.email.split('@')[0]}.`);
    expect(await text().inputValue()).toContain('192.0.2.1 # mine');
    await window.button('Keep my draft, and save it over theirs').click();
    await window.button('Save the list').click();
    await window.sees('The allow-list has been saved.');
    const { body } = await world.manager.get(path);
    expect(body.entries).toHaveLength(3);
  });
});

it('the list of an account takes what any of its keys was seen from, is run dry against all of them, and undone', async () => {
  const { accountId } = world;
  const other = await stack.issueKey({ accountId, name: 'Batch' });
  await callFrom(stack, other, '192.0.2.44', 2);
  await flushTraffic(stack);
  await window.open(`/accounts/${accountId}/allow-list`);
  await window.button(`Add ${OFFICE}`).click();
  await window.button(`Add ${AGENCY}`).click();
  await window.sees('2 of 10 requests would have been refused');
  await window.button('Add 192.0.2.44').click();
  await window.sees('All 10 requests would have been let in.');
  await window.field('Reason').fill('Ticket 4711');
  await window.field('Undo automatically').selectOption('60');
  await window.button('Save the list').click();
  await window.sees('The allow-list has been saved.');
  expect(await callFrom(stack, other, '192.0.2.45')).toBe(403);
  await window.button('Undo it now…').click();
  await window.confirm('Undo it');
  await window.sees('The previous list applies again.');
  expect(await callFrom(stack, other, '192.0.2.45')).toBe(200);
});
