import { alertHook } from './alert-hook';
import type { AlertDigest } from './alert-text';

const leak = (name: string): AlertDigest['listed'][number] => ({
  kind: 'key_leaked',
  threshold: null,
  accountName: 'ACME',
  keyName: name,
  data: { place: 'a page' },
});
const digest: AlertDigest = { total: 60, listed: Array.from({ length: 50 }, () => leak('x'.repeat(80))) };

it('a hook that is not of a service is Slack-compatible, and no name calls everyone', () => {
  const url = 'https://hooks.example.com/v2/enqueue';
  const hostile = { total: 1, listed: [leak('<!channel> & co')] };
  const request = alertHook(url, hostile, 'alert-1');
  expect(request).toMatchObject({ url, headers: {} });
  expect((request.body as { text: string }).text).toMatch(
    /^\*A leaked API key\*\n• .*&lt;!channel&gt; &amp; co/,
  );
});

it('of PagerDuty an event is triggered, once for a message, by a summary that it takes', () => {
  const url = 'https://events.pagerduty.com/v2/enqueue?routing_key=KEY';
  expect(alertHook(url, digest, 'alert-1')).toEqual({
    url: 'https://events.pagerduty.com/v2/enqueue',
    headers: {},
    body: {
      routing_key: 'KEY',
      event_action: 'trigger',
      dedup_key: 'alert-1',
      payload: {
        summary: expect.stringMatching(/^60 leaked API keys: A secret of .{900,}…$/),
        source: 'greenroom',
        severity: 'warning',
        custom_details: { alerts: expect.arrayContaining([expect.stringContaining('a page')]) },
      },
    },
  });
});

it('of Opsgenie an alert is made, its key in the header', () => {
  const url = 'https://api.eu.opsgenie.com/v2/alerts?api_key=KEY';
  expect(alertHook(url, digest, 'alert-1')).toEqual({
    url: 'https://api.eu.opsgenie.com/v2/alerts',
    headers: { authorization: 'GenieKey KEY' },
    body: {
      message: '60 leaked API keys',
      alias: 'alert-1',
      description: expect.stringMatching(/\nAnd 10 more\.$/),
      source: 'greenroom',
    },
  });
});
