import { readEmailAddress, readSignInAddress } from './email-address';

describe('readEmailAddress', () => {
  it.each([
    ['ana@münchen.example', 'ana@xn--mnchen-3ya.example'],
    ['ana@xn--mnchen-3ya.example', 'ana@xn--mnchen-3ya.example'],
    ['ana@mu\u0308nchen.example', 'ana@xn--mnchen-3ya.example'],
    ['ana@MÜNCHEN.example', 'ana@xn--mnchen-3ya.example'],
    [' Ana\u200b@Example.com\ufeff', 'ana@example.com'],
    ['a\u00adna@exam\u2060ple.com', 'ana@example.com'],
    ['zoe\u0308@example.com', 'zoë@example.com'],
    ['ZOË@example.com', 'zoë@example.com'],
    ['ana@пример.рф', 'ana@xn--e1afmkfd.xn--p1ai'],
  ])('%j is %s', (text, address) => {
    expect(readEmailAddress(text)).toBe(address);
    expect(readEmailAddress(address)).toBe(address);
  });

  it.each([
    'nobody',
    'a b@example.com',
    'Ana <ana@x.test>',
    'a@x.test,b@x.test',
    'ana@localhost',
    'ana@1.2',
    'ana@127.0.0.1',
    'ana@ex%61mple.com',
    'ana@a..b',
    'ana@-a.com',
    'ana@a.com.',
    `${'a'.repeat(65)}@example.com`,
    `a@${'a.'.repeat(130)}com`,
    '@example.com',
    '',
  ])('%j is none', (text) => {
    expect(readEmailAddress(text)).toBeNull();
  });
});

describe('readSignInAddress', () => {
  it('is null for an address with which nobody could sign in', () => {
    expect(readSignInAddress('Ana@münchen.example')).toBe('ana@xn--mnchen-3ya.example');
    expect(['zoë@example.com', 'ana@пример.рф', 'a..b@example.com'].map(readSignInAddress)).toEqual([
      null,
      null,
      null,
    ]);
  });
});
