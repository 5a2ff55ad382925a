// Starts the replica set once, and gives each service a user that may read and write its own database and no other.
const admin = db.getSiblingDB('admin');
try {
  rs.status();
} catch {
  rs.initiate({ _id: 'rs0', members: [{ _id: 0, host: 'mongodb-0.mongodb:27017' }] });
}
while (!db.hello().isWritablePrimary) sleep(200);
for (const name of ['access', 'directory', 'semantics', 'policy', 'lifecycle', 'audit']) {
  const database = admin.getSiblingDB(`gatehouse_${name}`);
  const user = { pwd: process.env[name], roles: ['readWrite'] };
  if (database.getUser(name)) database.updateUser(name, user);
  else database.createUser({ user: name, ...user });
}
