import { statfsSync } from 'node:fs';
import { LaunchError } from './launch-error';

/** `f_type` of statfs(2) on Linux. FUSE and 9P are left out: containers have local disks by them as well. */
const NETWORK_TYPES = new Map<number, string>([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x5346414f, 'AFS'],
  [0x00c36400, 'CephFS'],
  [0x0bd00bd0, 'Lustre'],
  [0x47504653, 'GPFS'],
  [0x7461636f, 'OCFS2'],
  [0x01161970, 'GFS2'],
]);

/** The name of a file system that several machines can have mounted, by its `f_type`; undefined for any other. */
export function networkFileSystem(type: number): string | undefined {
  // The kernel's 32 bits may arrive with a sign.
  return NETWORK_TYPES.get(type >>> 0);
}

/** @throws LaunchError when the folder is on a file system where the kernel does not see what other machines do */
export function refuseNetworkFileSystem(folder: string): void {
  if (process.platform !== 'linux') return;
  const name = networkFileSystem(statfsSync(folder).type);
  if (name === undefined) return;
  throw new LaunchError(
    `${folder} is on a network file system (${name}), where two machines could write the same database. Set DATA_DIR to a folder on a disk of this machine, or DATABASE_URL to a PostgreSQL of your own.`,
  );
}
