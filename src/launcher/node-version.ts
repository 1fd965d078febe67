// Also loaded by a Node that is too old for the rest: no syntax or module newer than Node 8 here.

const NEEDED = '20.19';

/** Why this Node cannot run Greenroom, or null. Its packages are ES modules that CommonJS code requires. */
export function checkNode(version: string, requiresModules: boolean): string | null {
  const [major, minor] = version.split('.').map(Number) as [number, number];
  const recent = major > 20 || (major === 20 && minor >= 19);
  if (recent && requiresModules) return null;
  return `Greenroom needs Node.js ${NEEDED} or newer (22.12 or newer in the 22 line); this is Node.js ${version}.`;
}
