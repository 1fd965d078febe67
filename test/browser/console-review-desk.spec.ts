import { ReviewItemRepository } from '../../libs/database/reviews/review-item.repository';
import { ConsoleBrowser, type ConsolePage } from '../support/console-page';
import { eventually } from '../support/eventually';
import { Stack } from '../support/stack';
import { storeGradedVoice } from '../support/stored-voices';

const HOSTILE = '<img src=x onerror=alert(1)> \u202Egnp.exe';

let stack: Stack;
let browser: ConsoleBrowser;

beforeAll(async () => {
  stack = await Stack.start();
  browser = await ConsoleBrowser.open(stack);
});

afterAll(async () => {
  await browser.close();
  await stack.stop();
});

const open = async (path: string): Promise<ConsolePage> => {
  const window = await browser.signedIn('support');
  await window.open(path);
  return window;
};

const idOf = (window: ConsolePage) => new URL(window.page.url()).searchParams.get('item');

/** Takes an item by keyboard and waits until its form is there. */
const takeNext = async (window: ConsolePage) => {
  await window.page.keyboard.press('n');
  await window.button('Play').waitFor();
  return idOf(window);
};

/** Plays the recording until the desk has noticed. */
const listen = async (window: ConsolePage) => {
  await window.page.keyboard.press(' ');
  await window.page.locator('audio').waitFor({ state: 'attached' });
  await eventually(async () =>
    expect(await window.page.locator('textarea[name=reason]').inputValue()).toBe(
      'Listened at the review desk',
    ),
  );
};

describe('a queue of voices', () => {
  // A person's usual day has a hundred: `GREENROOM_DESK_ITEMS=100`.
  const VOICES = Number(process.env.GREENROOM_DESK_ITEMS ?? 20);
  const WORK_MS = 60_000 + VOICES * 3_000;
  const decisions = () =>
    stack.dataSource.query<{ voice_id: string; decided_by: string; decision: string }[]>(
      'SELECT voice_id, decided_by, decision FROM review_item WHERE decided_at IS NOT NULL',
    );
  beforeAll(async () => {
    const accountId = await stack.openAccount();
    for (let n = 0; n < VOICES; n++) {
      const id = await storeGradedVoice(stack, { accountId, name: `${HOSTILE} ${n}` });
      await stack.api.get(ReviewItemRepository).open(id, ['low_confidence'], stack.dataSource.manager);
    }
  });

  it(
    'two people work through one queue by keyboard: every voice is decided once',
    async () => {
      // Every grade that bo changes is given again by another person: those wait for other reasons.
      const queue = '/review-desk?reason=low_confidence';
      const [ana, bo] = await Promise.all([open(queue), open(queue)]);
      const [hers, his] = [await takeNext(ana), await takeNext(bo)];
      expect(hers).not.toBe(his);

      // Space plays the recording, which goes to the audit log; a key grades, Enter decides and brings the next one.
      await listen(ana);
      const listenings = `SELECT reason FROM audit_event WHERE action = 'voice.listened'`;
      expect(await stack.dataSource.query(listenings)).toContainEqual({
        reason: 'Review desk: low_confidence',
      });
      const finish = async (window: ConsolePage, key: string) => {
        for (let count = 0; count < VOICES; count++) {
          const id = idOf(window);
          if ((await window.page.locator('audio').count()) === 0) await listen(window);
          await window.page.keyboard.press(key);
          await window.page.keyboard.press('Enter');
          await window.page.waitForURL((url) => url.searchParams.get('item') !== id);
          if (idOf(window) === null) return;
          await window.button('Play').waitFor();
        }
      };
      const startedAt = Date.now();
      await Promise.all([finish(ana, '3'), finish(bo, '4')]);
      const secs = (Date.now() - startedAt) / 1_000;
      process.stdout.write(
        `\n${VOICES} voices by keyboard, two people: ${secs.toFixed(1)} s, ${((2 * secs) / VOICES).toFixed(2)} s each.\n\n`,
      );
      await ana.sees('Nothing is left for you.');
      await ana.sees(/You decided \d/);

      const decided = await decisions();
      expect(new Set(decided.map(({ voice_id }) => voice_id)).size).toBe(VOICES);
      expect(decided).toHaveLength(VOICES);
      const overrides = await stack.dataSource.query<{ count: number }[]>(
        `SELECT count(*)::int AS count FROM audit_event
       WHERE action IN ('voice.grade_overridden', 'voice.grade_confirmed') AND reason = 'Listened at the review desk'`,
      );
      expect(overrides).toEqual([{ count: VOICES }]);
      for (const { decided_by: by, decision } of decided)
        expect(decision).toBe(by === ana.person.email ? 'confirmed' : 'overridden');
      expect(browser.complaints).toEqual([]);
      await Promise.all([ana.close(), bo.close()]);
    },
    WORK_MS,
  );

  it('a lock that has expired lets another person decide; the first one sees it, and decides nothing', async () => {
    const [voice] = await decisions();
    await stack.api.get(ReviewItemRepository).open(voice!.voice_id, ['sampled'], stack.dataSource.manager);
    const queue = '/review-desk?reason=sampled';
    const [ana, bo] = await Promise.all([open(queue), open(queue)]);
    const item = await takeNext(ana);
    await bo.page.keyboard.press('n');
    await bo.sees('Nothing is left for you.');
    await bo.open(`${queue}&item=${item}`);
    await bo.sees('has it until');
    await stack.dataSource.query(
      `UPDATE review_item SET taken_until = now() - interval '1 s' WHERE id = $1`,
      [item],
    );
    // Her console has not read it again yet.
    await ana.page.route(`**/admin/review-desk/${item}`, () => undefined);
    expect(await takeNext(bo)).toBe(item);

    await ana.page.keyboard.press('5');
    await ana.page.keyboard.press('Enter');
    await ana.sees('Listen first (space), or say in the reason what the decision rests on.');
    await listen(ana);
    await ana.page.keyboard.press('Enter');
    await ana.sees(/You do not have this item: .* has it/);
    await listen(bo);
    await bo.page.keyboard.press('2');
    await bo.page.keyboard.press('Enter');
    await bo.sees('Nothing is left for you.');
    const [row] = await stack.dataSource.query<object[]>(
      'SELECT decided_by, decided_grade FROM review_item WHERE id = $1',
      [item],
    );
    expect(row).toEqual({ decided_by: bo.person.email, decided_grade: 'poor' });
    await Promise.all([ana.close(), bo.close()]);
  });
});

describe('a decision', () => {
  beforeEach(() => stack.dataSource.query('DELETE FROM review_item'));

  it('answers the appeal of a customer, who reads the answer', async () => {
    const { secret, accountId } = await stack.issueKey();
    const path = `/v1/voices/${await storeGradedVoice(stack, { accountId, name: HOSTILE })}/review/appeal`;
    const body = { reason: 'It was recorded in a studio' };
    expect((await stack.request('POST', path, { secret, body })).status).toBe(200);
    const window = await open('/review-desk');
    await takeNext(window);
    await window.sees('It was recorded in a studio');
    await listen(window);
    await window.page.keyboard.press('4');
    await window
      .field(/^Answer to the appeal/)
      .and(window.page.locator(':focus'))
      .waitFor();
    await window.page.keyboard.press('Control+Enter');
    // Nothing is decided until the customer has an answer.
    await window.sees(/The customer has appealed/);
    expect((await stack.request('GET', path, { secret })).body.status).toBe('open');
    await window.field(/^Answer to the appeal/).fill('You are right: no hum is heard.');
    await window.page.keyboard.press('Control+Enter');
    await window.sees('Nothing is left for you.');
    expect((await stack.request('GET', path, { secret })).body).toMatchObject({
      status: 'answered',
      outcome: 'grade_changed',
      answer: 'You are right: no hum is heard.',
    });
    await window.close();
  });

  it('on a selection is undone with one key, all of it', async () => {
    const accountId = await stack.openAccount();
    const ids: string[] = [];
    for (const name of ['First', 'Second', 'Third']) {
      const id = await storeGradedVoice(stack, { accountId, name });
      await stack.api.get(ReviewItemRepository).open(id, ['complaint'], stack.dataSource.manager);
      ids.push(id);
    }
    const grades = async () => {
      const rows = await stack.dataSource.query<{ recording_quality: string }[]>(
        'SELECT recording_quality FROM voice WHERE id = ANY ($1)',
        [ids],
      );
      return rows.map(({ recording_quality: grade }) => grade);
    };
    const window = await open('/review-desk');
    await window.page.getByLabel('Select this page').check();
    await window.button('Decide on them…').click();
    await window.field('Grade').selectOption('poor');
    await window.confirm('Decide');
    await window.sees('Decided on 3 voices. Press u to undo it, all of it.');
    expect(await grades()).toEqual(['poor', 'poor', 'poor']);
    await window.page.keyboard.press('u');
    await window.sees('Undone: 3 decisions. You have them again.');
    expect(await grades()).toEqual(['ok', 'ok', 'ok']);
    await window.close();
  });

  it('of another person is nowhere to be seen at a second listening', async () => {
    const accountId = await stack.openAccount();
    const voiceId = await storeGradedVoice(stack, { accountId, name: 'Lighthouse' });
    await stack.api.get(ReviewItemRepository).open(voiceId, ['sampled'], stack.dataSource.manager);
    const ana = await open('/review-desk');
    await takeNext(ana);
    await listen(ana);
    await ana.page.keyboard.press('2');
    await ana.page.keyboard.press('Enter');
    await ana.sees('Nothing is left for you.');

    const bo = await browser.signedIn('support');
    const read: Promise<string>[] = [];
    bo.page.on('response', (response) => {
      if (/json/.test(response.headers()['content-type'] ?? '')) read.push(response.text());
    });
    await bo.open('/review-desk');
    await takeNext(bo);
    await bo.sees('A second listening: another person has graded this voice.');
    await bo.button('Play').click();
    await bo.page.locator('audio').waitFor({ state: 'attached' });
    const about = (await Promise.all(read)).filter((text) => text.includes(voiceId));
    expect(about.length).toBeGreaterThan(0);
    for (const text of [...about, await bo.page.locator('main').innerHTML()]) {
      expect(text).not.toContain(ana.person.email);
      expect(text).not.toMatch(/"recording_quality":"|"score":\d|within_targets/);
    }
    // Each is on its key alone.
    for (const grade of ['ok', 'poor'])
      expect(await bo.page.locator('main').getByText(grade, { exact: true }).count()).toBe(1);
    expect(browser.complaints).toEqual([]);
    await Promise.all([ana.close(), bo.close()]);
  });
});
