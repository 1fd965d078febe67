import { loadConfig } from '@app/config/app-config';
import { SessionCookies } from './session-cookies';

const APP_SECRET = 'a-secret-that-only-the-tests-of-greenroom-use';
const cookiesFor = (env: Record<string, string> = {}) =>
  new SessionCookies(loadConfig({ APP_SECRET, ...env }));

describe('the session cookie', () => {
  it.each([
    ['http://greenroom.lan:3000', /^greenroom-[0-9a-f]{8}\.session_token=/, false],
    ['https://greenroom.example.com', /^__Host-greenroom-[0-9a-f]{8}\.session_token=/, true],
  ])('at %s begins %s (secure: %s)', (origin, beginning, secure) => {
    const cookies = cookiesFor();
    const cookie = cookies.toBrowser(cookies.newSession(60).cookie, origin);
    expect(cookie).toMatch(beginning);
    expect(cookie.includes('; Secure')).toBe(secure);
    expect(cookie).toMatch(/; Path=\/; HttpOnly; SameSite=Strict/);
    expect(cookie).not.toMatch(/domain/i);
  });

  it('comes back as it went, and over TLS only from a browser that was given it there', () => {
    const cookies = cookiesFor();
    const { cookie, tokenDigest } = cookies.newSession(60);
    for (const origin of ['http://greenroom.lan', 'https://greenroom.example.com']) {
      const pair = cookies.toBrowser(cookie, origin).split(';')[0];
      const read = cookies.readSession(cookies.fromBrowser(`a=b; ${pair}`, origin));
      expect([origin, read]).toEqual([origin, tokenDigest]);
    }
    expect(cookies.readSession(cookies.fromBrowser(cookie, 'https://greenroom.example.com'))).toBeNull();
  });

  it('is read back as its digest, among others', () => {
    const cookies = cookiesFor();
    const { cookie, tokenDigest } = cookies.newSession(60);
    const [pair] = cookie.split(';');
    expect(cookies.readSession(`a=b; ${pair}; c=d`)).toBe(tokenDigest);
    expect(cookies.withoutSession(`a=b; ${pair}; c=d`)).toBe('a=b; c=d');
    expect(pair).not.toContain(tokenDigest);
  });

  it('is handed to the library with the digest as its token', () => {
    const cookies = cookiesFor();
    const { cookie, tokenDigest } = cookies.newSession(60);
    const handed = cookies.withStoredSession(`a=b; ${cookie.split(';')[0]}`);
    expect(handed).toMatch(/^a=b; greenroom-[0-9a-f]{8}\.session_token=/);
    expect(cookies.readToken(handed)).toBe(tokenDigest);
    expect(cookies.withStoredSession('a=b')).toBe('a=b');
  });

  it.each([
    ['another token', (pair: string) => pair.replace('=', '=x')],
    ['no signature', (pair: string) => pair.split('.').slice(0, 2).join('.')],
    ['a shorter signature', (pair: string) => pair.slice(0, -8)],
    ['another name', (pair: string) => pair.replace('greenroom', 'x-greenroom')],
  ])('is nothing with %s', (_, change) => {
    const cookies = cookiesFor();
    const [pair] = cookies.newSession(60).cookie.split(';');
    expect(cookies.readSession(change(pair!))).toBeNull();
  });

  it('of another installation has another name and is nothing', () => {
    const [pair] = cookiesFor({ APP_SECRET: 'another-secret-of-at-least-32-characters' })
      .newSession(60)
      .cookie.split(';');
    expect(cookiesFor().readSession(pair)).toBeNull();
    expect(pair!.split('=')[0]).not.toBe(cookiesFor().sessionName);
  });
});
