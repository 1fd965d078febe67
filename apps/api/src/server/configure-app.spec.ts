import { loadConfig } from '@app/config/app-config';
import { createAdapter } from './configure-app';

it.each([
  [{}, 65_000],
  [{ KEEP_ALIVE_SECS: '600' }, 600_000],
])('an idle connection stays open as long as %j says', (env, keepAliveTimeout) => {
  expect(createAdapter(loadConfig(env)).getHttpServer()).toMatchObject({ keepAliveTimeout });
});
