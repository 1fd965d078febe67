import { SCREENS, type ScreenPath } from './screens';

// The file of the screen at the address is fetched beside those that all screens share, not after them.
const at = location.pathname.replace(/^\/console/, '').replace(/\/$/, '') || '/';
const path = (Object.keys(SCREENS) as ScreenPath[]).find((each) =>
  new RegExp(`^${each.replaceAll(/\$\w+/g, '[^/]+')}$`).test(at),
);
// What fails here is fetched again with the screen, which says so.
if (path !== undefined) void SCREENS[path].load().catch(() => undefined);
