import type { Locator } from 'playwright-core';
import { CreditLedger } from '../../libs/credits/credit-ledger';
import { ConsoleBrowser, type ConsolePage } from '../support/console-page';
import { AGENCY, callFrom, flushTraffic, furnish, OFFICE, type World } from '../support/console-world';
import { InputCounter, tabTo } from '../support/input-counter';
import { designPreviews } from '../support/previews';
import { isShort } from '../support/short';
import type { IssuedKey } from '../support/stack';
import { addPerson } from '../support/staff-client';
import { storeDeadLetter, storeGradedVoice, storeVoice } from '../support/stored-voices';

/** `npm test` has one task of each kind. */
const atLength = isShort() ? it.skip : it;
const { stack, browser } = ConsoleBrowser.ofFile({ worker: false, env: { TRUSTED_PROXIES: '127.0.0.1' } });
let world: World;
let manager: InputCounter;
let support: InputCounter;
let ops: InputCounter;

beforeAll(async () => {
  world = await furnish(stack, { name: 'Production' });
  const [counter1, counter2, counter3] = await Promise.all(
    (['account_manager', 'support', 'ops'] as const).map(async (role) =>
      InputCounter.of(await browser.signedIn(role)),
    ),
  );
  [manager, support, ops] = [counter1!, counter2!, counter3!];
});

/** Opens the first thing that the palette finds by this, or something that can be done with it. */
async function find({ page }: ConsolePage, text: string, action?: string): Promise<void> {
  const palette = page.getByRole('dialog', { name: 'Find anything' });
  await page.keyboard.press('Control+k');
  await focused({ page }, palette.getByRole('combobox'));
  await page.keyboard.type(text);
  if (action === undefined) await page.keyboard.press('Enter');
  else await palette.getByRole('option', { name: action }).click();
  await palette.waitFor({ state: 'detached' });
}

const dialog = ({ page }: ConsolePage) => page.getByRole('dialog');

/** Waits until what is typed reaches this field. */
const focused = ({ page }: Pick<ConsolePage, 'page'>, field: Locator) =>
  field.and(page.locator(':focus')).waitFor();

/** Waits until an open menu has this item, and what is typed reaches the menu. */
async function menuItem({ page }: ConsolePage, name: string): Promise<void> {
  await page.getByRole('menuitem', { name }).waitFor();
  await page.locator('[role=menu]:focus-within').waitFor();
}

/** Types into a field with the mouse first. */
async function typeInto(window: ConsolePage, label: string | RegExp, text: string): Promise<void> {
  await window.field(label).click();
  await window.page.keyboard.type(text);
}

/** Types a reason where the cursor stands in an open dialog, and sends the dialog with the keyboard. */
async function giveReason({ page }: ConsolePage): Promise<void> {
  await focused({ page }, page.getByRole('dialog').getByLabel(/^Reason/));
  await page.keyboard.type('Ticket 4711');
  await page.keyboard.press('Control+Enter');
}

async function refuse(key: IssuedKey): Promise<string> {
  expect(await callFrom(stack, key, AGENCY)).toBe(403);
  await flushTraffic(stack);
  const [refusal] = await stack.dataSource.query<{ request_id: string }[]>(
    'SELECT request_id FROM key_refusal WHERE key_id = $1 ORDER BY at DESC LIMIT 1',
    [key.keyId],
  );
  return refusal!.request_id;
}

describe('the days of three roles, each task from Home, within its number of clicks, keys and texts', () => {
  it('an allow-list: written, saved with an undo timer, undone', async () => {
    const inputs = await manager.during(async (window) => {
      await find(window, 'Production', 'Edit the allow-list');
      await typeInto(window, 'Addresses and CIDR blocks', `${OFFICE} # the office`);
      await typeInto(window, /^Reason/, 'Ticket 4711');
      await window.page.keyboard.press('Control+Enter');
      await window.button('Save it anyway').click();
      await window.sees('The allow-list has been saved.');
      await window.button('Undo it now…').click();
      await giveReason(window);
      await window.sees('The previous list applies again.');
    });
    expect(inputs).toEqual({ clicks: 5, keys: 3, texts: 4 });
    expect(await callFrom(stack, world, AGENCY)).toBe(200);
  });

  it('keys near their quota: found', async () => {
    const { keyId, accountId } = await stack.issueKey({ name: 'Nearly used up', creditLimit: 1_000 });
    const charge = { keyId, accountId, operation: 'text_to_voice_design', requestId: keyId };
    await stack.api.get(CreditLedger).charge({ ...charge, cost: 850 });
    const inputs = await manager.during(async (window) => {
      await window.page.keyboard.press('g');
      await window.page.keyboard.press('k');
      await window.button('80 % of credits used').click();
      await window.sees('Nearly used up');
    });
    expect(inputs).toEqual({ clicks: 1, keys: 2, texts: 0 });
  });

  it('a month’s grant: given to an account', async () => {
    const inputs = await manager.during(async (window) => {
      await find(window, 'Northwind', 'Grant credits');
      await focused(window, dialog(window).getByRole('textbox', { name: 'Credits' }));
      await window.page.keyboard.type('5,000');
      await typeInto(window, /^Reason/, 'Ticket 4711');
      await window.page.keyboard.press('Control+Enter');
      await window.sees('5,000 credits granted for this period.');
    });
    expect(inputs).toEqual({ clicks: 2, keys: 2, texts: 3 });
  });

  atLength('a month’s report: printed on one page', async () => {
    const inputs = await manager.during(async (window) => {
      await find(window, 'Northwind', 'Report of a month');
      await window.button('Print').waitFor();
    });
    expect(inputs).toEqual({ clicks: 1, keys: 1, texts: 1 });
    const { page } = manager.window;
    await manager.window.sees('No credits were used');
    await page.getByText('Loading').waitFor({ state: 'detached' });
    const printed = (await page.pdf({ format: 'A4' })).toString('latin1');
    expect(printed.match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('button').count()).toBe(0);
    expect(await page.getByRole('navigation').count()).toBe(0);
    await page.emulateMedia({ media: null });
  });

  it('a poor recording: what the customer can be told', async () => {
    await storeGradedVoice(stack, { accountId: world.accountId, name: 'Kitchen' }, 'poor');
    const inputs = await support.during(async (window) => {
      await find(window, 'Kitchen');
      await window.sees(/^Your recording was graded poor/);
      await window.button(/^Copy the sentence for the customer/).waitFor();
    });
    expect(inputs).toEqual({ clicks: 0, keys: 2, texts: 1 });
  });

  atLength('who runs out: seen, and granted credits from its row', async () => {
    const accountId = await stack.openAccount();
    await stack.dataSource.query(`UPDATE account SET name = 'Nothing left' WHERE id = $1`, [accountId]);
    await stack.dataSource.query('UPDATE credit_balance SET used = credit_limit WHERE subject_id = $1', [
      accountId,
    ]);
    const inputs = await manager.during(async (window) => {
      await window.button('Grant credits: Nothing left').click();
      await focused(window, dialog(window).getByRole('textbox', { name: 'Credits' }));
      await window.page.keyboard.type('5,000');
      await dialog(window).getByText('0 now, 5,000 afterwards').waitFor();
      await typeInto(window, /^Reason/, 'Ticket 4711');
      await window.page.keyboard.press('Control+Enter');
      await window.sees('5,000 credits granted for this period.');
    });
    expect(inputs).toEqual({ clicks: 2, keys: 1, texts: 2 });
  });

  atLength('a leaked secret: rotated without an overlap', async () => {
    const leaked = await stack.issueKey({ name: 'Pasted in a forum' });
    const inputs = await manager.during(async (window) => {
      await find(window, leaked.secret, 'Rotate the secret');
      await window.field('The secret has leaked').click();
      expect(await window.field('Overlap').count()).toBe(0);
      await typeInto(window, /^Reason/, 'Ticket 4711');
      await window.page.keyboard.press('Control+Enter');
      await window.sees('The key has a new secret.');
    });
    expect(inputs).toEqual({ clicks: 3, keys: 2, texts: 2 });
    expect(await callFrom(stack, leaked, OFFICE)).toBe(401);
  });

  it('a leaked secret: its key found, disabled, and enabled again', async () => {
    const leaked = await stack.issueKey({ name: 'Leaked' });
    const inputs = await manager.during(async (window) => {
      await find(window, leaked.secret, 'Disable the key');
      await window.field('The secret has leaked').click();
      await typeInto(window, /^Reason/, 'Ticket 4711');
      await window.page.keyboard.press('Control+Enter');
      await window.sees('The key is disabled.');
      expect(await callFrom(stack, leaked, OFFICE)).toBe(401);
      await window.choose('Actions', 'Enable…');
      await giveReason(window);
      await window.sees('The key is enabled.');
    });
    expect(inputs).toEqual({ clicks: 5, keys: 3, texts: 3 });
    expect(await callFrom(stack, leaked, OFFICE)).toBe(200);
  });

  atLength('a stuck voice: found and reviewed again', async () => {
    const voiceId = await storeDeadLetter(stack, 'no space left on device', { name: 'Stuck' });
    const inputs = await support.during(async (window) => {
      await window.page.getByRole('link', { name: /^1 voice without a verdict/ }).click();
      await window.button('Review again…').click();
      await giveReason(window);
      await window.sees('A new review was requested.');
    });
    expect(inputs).toEqual({ clicks: 2, keys: 1, texts: 1 });
    const { body } = await world.manager.get(`/admin/voices/${voiceId}`);
    expect(body.status).toBe('queued');
  });

  atLength('a lost preview: found by its id', async () => {
    const [previewId] = await designPreviews(stack, world);
    const inputs = await support.during(async (window) => {
      await find(window, previewId!);
      await window.page.getByRole('row').filter({ hasText: previewId! }).waitFor();
    });
    expect(inputs).toEqual({ clicks: 0, keys: 2, texts: 1 });
  });

  it('a refused request: explained by its id', async () => {
    const key = await stack.issueKey({ tier: 'enterprise', allowedIps: [OFFICE], name: 'Refuses' });
    const requestId = await refuse(key);
    const inputs = await support.during(async (window) => {
      await find(window, requestId);
      await window.sees('Refused with 403 ip_not_allowed.');
    });
    expect(inputs).toEqual({ clicks: 0, keys: 2, texts: 1 });
  });

  atLength('what a customer used in the last quarter, by key: for a call', async () => {
    const { keyId, accountId } = world;
    const charge = { keyId, accountId, operation: 'text_to_voice_design', requestId: 'of the last quarter' };
    await stack.api.get(CreditLedger).charge({ ...charge, cost: 12_345 });
    await stack.asOwner(
      `UPDATE ledger_line SET created_at = date_trunc('quarter', now()) - interval '20 days',
         period_start = date_trunc('quarter', now()) - interval '25 days' WHERE request = ledger_request($1, ledger_request_form($1))`,
      [charge.requestId],
    );
    const inputs = await manager.during(async (window) => {
      await find(window, 'Northwind');
      await window.field('Days of the credits').selectOption({ label: 'The last quarter' });
      await window.sees(/^12,345 credits for 1 request in the last quarter, 1 [A-Z]/);
    });
    expect(inputs).toEqual({ clicks: 2, keys: 2, texts: 1 });
  });

  atLength('the addresses of an e-mail: read, and saved as the list of a key', async () => {
    const key = await stack.issueKey({ accountId: world.accountId, name: 'Mailed' });
    const mail = `Hi Ana,\nour office is “${OFFICE}”, the agency ${AGENCY}, the VPN 192.0.2.1-192.0.2.3.\nBest, Sam`;
    const inputs = await manager.during(async (window) => {
      await find(window, 'Mailed', 'Edit the allow-list');
      await window.field('Addresses and CIDR blocks').click();
      await window.page.keyboard.insertText(mail);
      await window.button('Write as a list').click();
      await typeInto(window, /^Reason/, 'Ticket 4711');
      await window.page.keyboard.press('Control+Enter');
      await window.sees('The allow-list has been saved.');
    });
    expect(inputs).toEqual({ clicks: 4, keys: 2, texts: 3 });
    expect([await callFrom(stack, key, '192.0.2.2'), await callFrom(stack, key, '192.0.2.9')]).toEqual([
      200, 403,
    ]);
  });

  atLength('a wrong charge: a credit for it requested by support', async () => {
    const { accountId, keyId } = await stack.issueKey({ name: 'Charged twice' });
    await stack.dataSource.query(`UPDATE account SET name = 'Charged twice Ltd' WHERE id = $1`, [accountId]);
    const charge = { keyId, accountId, operation: 'text_to_voice_design', requestId: 'charged twice' };
    await stack.api.get(CreditLedger).charge({ ...charge, cost: 300 });
    const inputs = await support.during(async (window) => {
      await find(window, 'Charged twice Ltd');
      await window.page.getByRole('link', { name: 'Credits', exact: true }).click();
      await window
        .button(/^Request a credit.*-300|Request a credit/)
        .last()
        .click();
      await giveReason(window);
      await window.sees('Waits for a second person');
    });
    expect(inputs).toEqual({ clicks: 2, keys: 3, texts: 2 });
  });

  atLength('alarms that reach nobody: a contact added', async () => {
    const admin = await InputCounter.of(await browser.signedIn('admin'));
    const inputs = await admin.during(async (window) => {
      await window.page.getByRole('link', { name: /alert rules? that (is|are) on reach/ }).click();
      await focused(window, dialog(window).getByLabel('Name'));
      await window.page.keyboard.type('Operations');
      await typeInto(window, 'E-mail address', 'ops@example.com');
      await typeInto(window, /^Reason/, 'Ticket 4711');
      await window.page.keyboard.press('Control+Enter');
      await window.sees('The contact was added.');
      await window.sees('never: no mail server is set (SMTP_URL)');
    });
    expect(inputs).toEqual({ clicks: 3, keys: 1, texts: 3 });
    await admin.window.close();
  });

  atLength('a new colleague: invited by a link', async () => {
    const admin = await InputCounter.of(await browser.signedIn('admin'));
    const inputs = await admin.during(async (window) => {
      await window.page.keyboard.press('g');
      await window.page.keyboard.press('s');
      await window.button('Add a member…').click();
      await focused(window, dialog(window).getByLabel('E-mail address'));
      await window.page.keyboard.type('mei@example.com');
      await typeInto(window, /^Reason/, 'Ticket 4711');
      await window.page.keyboard.press('Control+Enter');
      await window.sees('mei@example.com has been added.');
    });
    expect(inputs).toEqual({ clicks: 2, keys: 3, texts: 2 });
    await admin.window.close();
  });

  it('no worker, and a webhook receiver that fails: seen, with what waits and whose it is', async () => {
    await storeVoice(stack, { name: 'Waits' });
    await stack.dataSource.query(
      `INSERT INTO webhook_endpoint (id, account_id, name, url, events, sealed_secret, secret_hint, failing_since)
       VALUES (gen_random_uuid(), $1, 'Gone', 'https://example.com', '{quota.reached}', '', '', now())`,
      [world.accountId],
    );
    const inputs = await ops.during(async (window) => {
      await window.sees('1 webhook receiver fails');
      await window.page.getByRole('link', { name: /^No worker runs: \d voices? waits?, since/ }).click();
      await window.page.getByRole('status').filter({ hasText: '1 webhook receiver fails' }).waitFor();
    });
    expect(inputs).toEqual({ clicks: 1, keys: 0, texts: 0 });
  });
});

describe('by keyboard alone', () => {
  const alone = async (
    counter: InputCounter,
    task: (window: ConsolePage) => Promise<void>,
    from?: string,
  ) => {
    const { clicks, keys, texts } = await counter.during(task, from);
    expect(clicks).toBe(0);
    return keys + texts;
  };
  const press = async ({ page }: ConsolePage, ...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };

  it('signing in', async () => {
    const person = await addPerson(stack, 'account_manager');
    const visitor = await InputCounter.of(await browser.visitor());
    const presses = await alone(visitor, async (window) => {
      await window.sees('E-mail address');
      await tabTo(window, window.field('E-mail address'));
      await window.page.keyboard.type(person.email);
      await tabTo(window, window.page.getByLabel(/^Password/));
      await window.page.keyboard.type(person.password);
      await press(window, 'Enter');
      await window.page.getByRole('heading', { name: 'Home' }).waitFor();
    });
    expect(presses).toBeLessThanOrEqual(4);
    await visitor.window.close();
  });

  it('finding a key with the palette', async () => {
    const presses = await alone(manager, async (window) => {
      await find(window, world.keyId);
      await window.page.getByRole('heading', { name: 'Production' }).waitFor();
    });
    expect(presses).toBe(3);
  });

  atLength('opening an account, and a tab of it', async () => {
    const presses = await alone(manager, async (window) => {
      await press(window, 'g', 'a');
      await window.page.getByRole('heading', { name: 'Accounts' }).waitFor();
      await press(window, '/');
      await window.page.locator('input:focus').waitFor();
      await window.page.keyboard.type('Northwind');
      await window.sees('1 in all');
      await press(window, 'Enter', 'j', 'Enter');
      await window.page.getByRole('heading', { name: 'Northwind Audio' }).waitFor();
      await tabTo(window, window.page.getByRole('link', { name: 'Credits', exact: true }));
      await press(window, 'Enter');
      await window.sees('This billing period');
    });
    expect(presses).toBeLessThanOrEqual(30);
  });

  atLength('filtering a list', async () => {
    const presses = await alone(
      manager,
      async (window) => {
        await tabTo(window, window.button('Add filter'));
        await press(window, 'Enter');
        await menuItem(window, 'Status');
        await window.page.keyboard.type('st');
        await press(window, 'Enter');
        await focused(window, dialog(window).getByLabel('Status'));
        await window.page.keyboard.type('dis');
        await window.button('Status: disabled').waitFor();
      },
      '/api-keys',
    );
    expect(presses).toBeLessThanOrEqual(30);
  });

  atLength('moving in a list, selecting, and opening a row', async () => {
    const accountId = await stack.openAccount();
    for (const name of ['first', 'second', 'third']) await stack.issueKey({ accountId, name });
    const presses = await alone(
      manager,
      async (window) => {
        await press(window, 'j', 'x', 'j', 'j', 'x', 'k');
        await window.sees('2 selected');
        await press(window, 'Enter');
        await window.page.getByRole('heading', { name: 'second' }).waitFor();
      },
      `/api-keys?account_id=${accountId}&sort=name`,
    );
    expect(presses).toBe(7);
  });

  it('disabling a key with a reason, and undoing it', async () => {
    const key = await stack.issueKey({ name: 'Disabled by keyboard' });
    const presses = await alone(
      manager,
      async (window) => {
        for (const [action, done] of [
          ['Disable…', 'The key is disabled.'],
          ['Enable…', 'The key is enabled.'],
        ] as const) {
          await tabTo(window, window.button('Actions'));
          await press(window, 'Enter');
          await menuItem(window, action);
          await window.page.keyboard.type(action.slice(0, 2));
          await press(window, 'Enter');
          await giveReason(window);
          await window.sees(done);
        }
      },
      `/api-keys/${key.keyId}`,
    );
    expect(presses).toBeLessThanOrEqual(40);
    expect(await callFrom(stack, key, OFFICE)).toBe(200);
  });

  atLength('explaining a refused request', async () => {
    const key = await stack.issueKey({ tier: 'enterprise', allowedIps: [OFFICE], name: 'Refuses' });
    await refuse(key);
    await alone(
      manager,
      async (window) => {
        const row = window.page.getByRole('table', { name: 'Recent refusals' });
        await tabTo(window, row.getByRole('link', { name: 'Explain' }));
        await press(window, 'Enter');
        await window.sees('Refused with 403 ip_not_allowed.');
      },
      `/api-keys/${key.keyId}`,
    );
  });

  it('editing an allow-list', async () => {
    const key = await furnish(stack, { name: 'List by keyboard' });
    await alone(
      manager,
      async (window) => {
        await tabTo(window, window.field('Addresses and CIDR blocks'));
        await window.page.keyboard.type(`${OFFICE}\n${AGENCY}`);
        await tabTo(window, window.field(/^Reason/));
        await window.page.keyboard.type('Ticket 4711');
        await press(window, 'Control+Enter');
        await window.sees('The allow-list has been saved.');
      },
      `/api-keys/${key.keyId}/allow-list`,
    );
    expect(await callFrom(stack, key, AGENCY)).toBe(200);
    expect(await callFrom(stack, key, '192.0.2.1')).toBe(403);
  });

  atLength('listening to a voice, and deciding on it', async () => {
    const voiceId = await storeVoice(stack, { name: 'Judged by ear', enqueue: false });
    await stack.asOwner(
      `INSERT INTO review (voice_id, generation, audio_digest, ruleset, grade, reason, took_ms)
       SELECT voice_id, 1, audio_digest, 'greenroom-2026-11', 'poor', 'noisy', 0 FROM voice_sample WHERE voice_id = $1`,
      [voiceId],
    );
    await stack.asOwner(`UPDATE voice SET review_state = 'completed' WHERE id = $1`, [voiceId]);
    await alone(
      support,
      async (window) => {
        await tabTo(window, window.field('Why are you listening?'));
        await window.page.keyboard.type('Ticket 4711');
        await press(window, 'Control+Enter');
        await window.page.locator('audio').waitFor({ state: 'attached' });
        await tabTo(window, window.button('Override the grade…'), 'Shift+Tab');
        await press(window, 'Enter');
        await tabTo(window, dialog(window).getByLabel('Grade', { exact: true }));
        await window.page.keyboard.type('good');
        await tabTo(window, dialog(window).getByLabel(/^Reason/));
        await giveReason(window);

        await window.sees('The grade is “good” now.');
      },
      `/voices/${voiceId}`,
    );
  });

  atLength('retrying a dead letter', async () => {
    const voiceId = await storeDeadLetter(stack, 'connect ECONNREFUSED 192.0.2.1:9000', { name: 'Retried' });
    await alone(ops, async (window) => {
      await press(window, 'g', 'd');
      await tabTo(window, window.button('Try again: Retried'));
      await press(window, 'Enter');
      await window.sees('The review was requested again.');
    });
    const { body } = await world.manager.get(`/admin/voices/${voiceId}`);
    expect(body.status).toBe('queued');
  });
});
