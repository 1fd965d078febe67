import { loadConfig } from '@app/config/app-config';
import { SessionCookies } from './session-cookies';

const APP_SECRET = 'a-secret-that-only-the-tests-of-greenroom-use';
const cookiesFor = (env: Record<string, string> = {}) =>
  new SessionCookies(loadConfig({ APP_SECRET, ...env }));

describe('the session cookie', () => {
  it.each([
    [{}, 'greenroom.session_token=', false],
    [{ HOST: '::1' }, 'greenroom.session_token=', false],
    [{ PUBLIC_URL: 'http://localhost:3000', HOST: '0.0.0.0' }, 'greenroom.session_token=', false],
    [{ PUBLIC_URL: 'https://greenroom.example.com' }, '__Host-greenroom.session_token=', true],
    [{ HOST: '0.0.0.0' }, '__Host-greenroom.session_token=', true],
    [{ HOST: 'greenroom.internal' }, '__Host-greenroom.session_token=', true],
  ])('with %j begins %s (secure: %s)', (env, beginning, secure) => {
    const cookie = cookiesFor(env).newSession(60).cookie;
    expect(cookie.startsWith(beginning)).toBe(true);
    expect(cookie.includes('; Secure')).toBe(secure);
    expect(cookie).toMatch(/; Path=\/; HttpOnly; SameSite=Strict/);
    expect(cookie).not.toMatch(/domain/i);
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
    expect(handed).toMatch(/^a=b; greenroom\.session_token=/);
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

  it('of another installation is nothing', () => {
    const [pair] = cookiesFor({ APP_SECRET: 'another-secret-of-at-least-32-characters' })
      .newSession(60)
      .cookie.split(';');
    expect(cookiesFor().readSession(pair)).toBeNull();
  });
});
