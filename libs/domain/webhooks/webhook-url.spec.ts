import { webhookUrlProblem } from './webhook-url';

describe('webhookUrlProblem', () => {
  it.each(['https://hooks.example.com/greenroom?x=1', 'https://1.1.1.1:8443/', 'https://[2606:4700::1111]/'])(
    'accepts %s',
    (url) => expect(webhookUrlProblem(url, false)).toBeNull(),
  );

  it.each([
    ['hooks.example.com', 'it is not a URL'],
    ['http://hooks.example.com/', 'its scheme is http: and not https:'],
    ['ftp://hooks.example.com/', 'its scheme is ftp: and not https:'],
    ['https://user:word@hooks.example.com/', 'it carries a user name or a password'],
    ['https://hooks.example.com/#part', 'it has a fragment, which is never sent'],
    ['https://127.0.0.1/', '127.0.0.1 is an internal address'],
    ['https://2130706433/', '127.0.0.1 is an internal address'],
    ['https://0x7f.1/', '127.0.0.1 is an internal address'],
    ['https://0177.0.0.1/', '127.0.0.1 is an internal address'],
    ['https://127.0.0.1./', '127.0.0.1 is an internal address'],
    ['https://[::ffff:10.0.0.1]/', '[::ffff:a00:1] is an internal address'],
    ['https://[::1]/', '[::1] is an internal address'],
    ['https://169.254.169.254/latest/meta-data', '169.254.169.254 is an internal address'],
    [`https://hooks.example.com/${'x'.repeat(2_000)}`, 'it is longer than 2000 characters'],
  ])('refuses %s', (url, problem) => expect(webhookUrlProblem(url, false)).toBe(problem));

  it('accepts a private address without TLS where that is allowed, and never the metadata address', () => {
    expect(webhookUrlProblem('http://10.0.0.1/', true)).toBeNull();
    expect(webhookUrlProblem('http://169.254.169.254/', true)).toBe('169.254.169.254 is an internal address');
  });
});
