import { unheardRules } from './alert-readiness';

const rule = (kind: 'dead_letters' | 'key_idle', enabled = true) => ({
  kind,
  enabled,
  channels: ['email' as const, 'chat' as const],
});
const contact = (channel: 'email' | 'chat', at: string | null = null) => ({
  channel,
  categories: ['operations' as const],
  unsubscribed_at: at,
});
const rules = [rule('dead_letters'), rule('key_idle', false)];

it.each([
  ['no contact', [], true, true],
  ['a mail contact', [contact('email')], true, false],
  ['a mail contact without a mail server', [contact('email')], false, true],
  ['a hook without a mail server', [contact('chat')], false, false],
  ['a contact that has unsubscribed', [contact('chat', '2026-01-01T00:00:00Z')], true, true],
])('with %s', (_, items, mail_server, isUnheard) => {
  expect(unheardRules(rules, { items, mail_server })).toHaveLength(isUnheard ? 1 : 0);
});

it('names how many rules reach no contact, and why mail does not count', () => {
  const both = [rule('dead_letters'), rule('key_idle')];
  expect(unheardRules(both, { items: [contact('chat')], mail_server: false })).toEqual([
    {
      text: '1 of 2 alert rules that are on reach no contact: add one',
      detail: 'E-mail contacts receive nothing: no mail server is set (SMTP_URL).',
      to: '/alerts',
      search: { do: 'contact' },
      verb: 'Add…',
    },
  ]);
});
