/** Why a folder cannot be used, by the error code of the file system. */
export const FOLDER_REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'part of its path is a file',
  ENOENT: 'the file system takes no new folders there',
}
