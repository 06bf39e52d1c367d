# orm.py KV -- SQLAlchemy and pandas on collections, unmodified: the tables are
# reflected, and created, read, updated, deleted and joined as any others.
import datetime, sys
from sqlalchemy import MetaData, create_engine, event, func, select, text
from sqlalchemy.ext.automap import automap_base
from sqlalchemy.orm import Session
import pandas

engine = create_engine("sqlite:///orm_py.db")

@event.listens_for(engine, "connect")
def load(connection, _):
    connection.enable_load_extension(True)
    connection.load_extension(sys.argv[1])

with engine.begin() as c:
    c.execute(text("""CREATE VIRTUAL TABLE users USING kv_collection('["users"]', id INTEGER KEY, name TEXT NOT NULL,
        email TEXT UNIQUE, age INTEGER INDEX, joined DATETIME, admin BOOLEAN, tags JSON)"""))
    c.execute(text("""CREATE VIRTUAL TABLE posts USING kv_collection('["posts"]', id INTEGER KEY,
        user_id INTEGER INDEX, title TEXT)"""))

meta = MetaData()
meta.reflect(engine, only=["users", "posts"])
print("columns", [(c.name, str(c.type), c.primary_key) for c in meta.tables["users"].columns])
base = automap_base(metadata=meta)
base.prepare()
User, Post = base.classes.users, base.classes.posts

with Session(engine) as s:
    ada = User(name="Ada", email="ada@x", age=36, joined=datetime.datetime(2024, 5, 1, 10), admin=True, tags=["x"])
    s.add_all([ada, User(name="Bob", email="bob@x", age=40)])
    s.flush()
    s.add(Post(user_id=ada.id, title="hello"))
    s.commit()
    found = s.execute(select(User).where(User.email == "ada@x")).scalar_one()
    print("read", found.id, found.name, found.joined, found.admin, found.tags)
    found.age += 1
    s.commit()
    print("joined", s.execute(select(User.name, Post.title).join(Post, Post.user_id == User.id)).all())
    print("counted", s.execute(select(func.count(), func.max(User.age)).select_from(User)).one())
    for wrong in (User(name="X", email="ada@x"), User(email="y@x")):
        try:
            s.add(wrong)
            s.commit()
        except Exception as e:
            print(type(e).__name__, str(e.orig))
            s.rollback()
    s.delete(s.get(User, 2))
    s.commit()
    print("stored", s.execute(text("SELECT kv_key, kv_js FROM users")).all())

frame = pandas.read_sql_table("users", engine)
print("frame", frame[["id", "name", "age", "joined"]].values.tolist())
