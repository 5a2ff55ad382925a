/**
 * Loaded into each process of the mesh before its program: ends the process, in order, when the launcher is gone,
 * however that died. The launcher holds the other end of standard input, which the system closes for it.
 */
process.stdin.on('error', () => process.kill(process.pid, 'SIGTERM'));
process.stdin.on('close', () => process.kill(process.pid, 'SIGTERM'));
process.stdin.resume();
