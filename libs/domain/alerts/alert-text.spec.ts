import { ALERT_KIND_NAMES } from './alert-kinds';
import { alertHeading, alertMail, alertSentence, type DescribedAlert } from './alert-text';

const LINK = 'https://greenroom.example.com/unsubscribe/x?a=1&b=2';
const expiring = (keyName: string): DescribedAlert => ({
  kind: 'key_expiring',
  threshold: 7,
  accountName: 'ACME',
  keyName,
  data: { expires_at: '2026-11-30T12:00:00.000Z' },
});

describe('alertSentence', () => {
  it.each([
    [expiring('build'), 'The key “build” expires on 2026-11-30 12:00 UTC (“ACME”).'],
    [
      {
        kind: 'credits_used',
        threshold: 80,
        accountName: 'ACME',
        keyName: null,
        data: { credits_used: 8_400, credit_limit: 10_000 },
      },
      'The account “ACME” has used 80 % of its credits: 8,400 / 10,000.',
    ],
    [
      {
        kind: 'credits_used',
        threshold: 80,
        accountName: 'ACME',
        keyName: 'build',
        data: {
          credits_used: 800,
          credit_limit: 1_000,
          budget: { name: 'Nightly\njobs', window: 'billing_period', renews_at: '2026-12-01T00:00:00.000Z' },
        },
      },
      'The budget “Nightly jobs” of the key “build” has used 80 % of its credits per billing period: 800 / 1,000. It renews on 2026-12-01 00:00 UTC (“ACME”).',
    ],
    [
      { kind: 'dead_letters', threshold: 1, accountName: null, keyName: null, data: { reviews: 1 } },
      '1 review failed after the last attempt; a person must look.',
    ],
  ] as [DescribedAlert, string][])('%#', (alert, expected) => expect(alertSentence(alert)).toBe(expected));

  it.each(ALERT_KIND_NAMES)('%s has a sentence that says nothing odd without data', (kind) => {
    const sentence = alertSentence({ kind, threshold: 1, accountName: null, keyName: 'x', data: {} });
    expect(sentence).toMatch(/^[A-Z\d].*\.$/);
  });

  it('keeps a long name and one of several lines on one line', () => {
    const sentence = alertSentence(expiring(`a\nb\r\n${'x'.repeat(500)}`));
    expect(sentence).not.toMatch(/[\r\n]/);
    expect(sentence.length).toBeLessThan(160);
  });
});

describe('a digest', () => {
  const digest = { total: 10_000, listed: [expiring('one'), expiring('two')] };

  it('says how many there are', () => {
    expect(alertHeading(digest)).toBe('10,000 API keys expire soon');
    expect(alertMail(digest, LINK).text).toContain('\n- And 9,998 more.\n');
  });

  it('of several kinds has a heading of its own', () => {
    const others = { ...expiring('three'), kind: 'key_idle' as const };
    expect(alertHeading({ total: 3, listed: [...digest.listed, others] })).toBe('3 alerts');
  });
});

describe('a name that is made of markup', () => {
  const hostile = { total: 1, listed: [expiring('<img src=x onerror=alert(1)> & "<!channel>"')] };

  it('is text in HTML', () => {
    const { html } = alertMail(hostile, LINK);
    expect(html).not.toContain('<img');
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt; &amp; &quot;');
    expect(html).toContain('href="https://greenroom.example.com/unsubscribe/x?a=1&amp;b=2"');
  });
});
