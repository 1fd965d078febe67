import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { networkFileSystem } from './network-file-system';

it.each([
  ['NFS', 0x6969],
  ['CIFS', 0xff534d42],
  ['CIFS', 0xff534d42 | 0],
  ['CephFS', 0x00c36400],
])('%s is a network file system', (name, type) => {
  expect(networkFileSystem(type)).toBe(name);
});

it.each([
  ['ext4', 0xef53],
  ['xfs', 0x58465342],
  ['overlay', 0x794c7630],
  ['FUSE', 0x65735546],
  ['that of the temporary folder', statfsSync(tmpdir()).type],
])('%s is not a network file system', (_, type) => {
  expect(networkFileSystem(type)).toBeUndefined();
});
