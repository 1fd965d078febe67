import { environmentWarnings } from './environment-warnings';
import { VARIABLES } from './variables';

it('says nothing of variables that are known, empty, or of other programs', () => {
  const known = Object.fromEntries(Object.keys(VARIABLES).map((name) => [name, 'x']));
  const others = {
    PATH: 'x',
    HOME: 'x',
    HOSTNAME: 'x',
    SHELL: '/bin/sh',
    USER: 'x',
    PWD: 'x',
    LANG: 'x',
    NODE_ENV: 'x',
    CI: 'x',
  };
  expect(
    environmentWarnings({ ...known, ...others, DATABASE_URL_FILE: 'x', NODE_OPTIONS: 'x', REDIS_ULR: '' }),
  ).toEqual([]);
});

it.each([
  ['REDIS_ULR', 'REDIS_URL'],
  ['DATABASE_URI', 'DATABASE_URL'],
  ['DATABSE_URL_FILE', 'DATABASE_URL_FILE'],
  ['APPSECRET', 'APP_SECRET'],
])('names the variable that %s was probably meant to be: %s', (name, meant) => {
  const found = environmentWarnings({ [name]: 'value' });
  expect(found).toEqual([`${name} is not read: no such variable is known. Is ${meant} meant?`]);
});

it('says that what is not a secret is not read from a file', () => {
  expect(environmentWarnings({ PORT_FILE: '/x' })).toEqual([
    'PORT_FILE is not read: PORT is not a secret. Set PORT itself.',
  ]);
});

it('says what becomes of an sslmode, in place of the driver', () => {
  const [warning, ...others] = environmentWarnings({ DATABASE_URL: 'postgres://db/x?sslmode=require' });
  expect(warning).toMatch(/^DATABASE_URL: sslmode=require is taken for verify-full/);
  expect(others).toEqual([]);
  expect(environmentWarnings({ DATABASE_URL: 'postgres://db/x?sslmode=verify-full' })).toEqual([]);
});
