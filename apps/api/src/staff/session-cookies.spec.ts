import { loadConfig } from '@app/config/app-config';
import { SessionCookies } from './session-cookies';

const APP_SECRET = 'a-secret-of-the-tests-that-nobody-else-uses';
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
    const cookie = cookiesFor(env).issueSession('a-token', 60);
    expect(cookie.startsWith(beginning)).toBe(true);
    expect(cookie.includes('; Secure')).toBe(secure);
    expect(cookie).toMatch(/; Path=\/; HttpOnly; SameSite=Strict/);
    expect(cookie).not.toMatch(/domain/i);
  });

  it('is read back, among others', () => {
    const cookies = cookiesFor();
    const [pair] = cookies.issueSession('a.token', 60).split(';');
    expect(cookies.readSession(`a=b; ${pair}; c=d`)).toBe('a.token');
    expect(cookies.withoutSession(`a=b; ${pair}; c=d`)).toBe('a=b; c=d');
  });

  it.each([
    ['another token', (pair: string) => pair.replace('a-token', 'b-token')],
    ['no signature', (pair: string) => pair.split('.').slice(0, 2).join('.')],
    ['a shorter signature', (pair: string) => pair.slice(0, -8)],
    ['another name', (pair: string) => pair.replace('greenroom', 'x-greenroom')],
  ])('is nothing with %s', (_, change) => {
    const cookies = cookiesFor();
    const [pair] = cookies.issueSession('a-token', 60).split(';');
    expect(cookies.readSession(change(pair!))).toBeNull();
  });

  it('of another installation is nothing', () => {
    const [pair] = cookiesFor({ APP_SECRET: 'another-secret-of-at-least-32-characters' })
      .issueSession('t', 60)
      .split(';');
    expect(cookiesFor().readSession(pair)).toBeNull();
  });
});
