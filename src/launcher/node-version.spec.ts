import { checkNode } from './node-version';

describe('checkNode', () => {
  it.each([
    ['20.19.0', true],
    ['22.12.0', true],
    ['24.1.0', true],
  ])('accepts %s', (version, requiresModules) => {
    expect(checkNode(version, requiresModules)).toBeNull();
  });

  it.each([
    ['18.20.4', false],
    ['20.18.3', false],
    ['22.11.0', false],
  ])('refuses %s and names it', (version, requiresModules) => {
    expect(checkNode(version, requiresModules)).toBe(
      `Greenroom needs Node.js 20.19 or newer (22.12 or newer in the 22 line); this is Node.js ${version}.`,
    );
  });
});
