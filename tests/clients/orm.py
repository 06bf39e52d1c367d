# orm.py KV -- SQLAlchemy and pandas on collections, unmodified: the tables are
# reflected, and created, read, updated, deleted and joined as any others.
import datetime, sys
from sqlalchemy import MetaData, create_engine, delete, event, func, insert, inspect, select, text, update
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
    c.execute(text("""CREATE VIRTUAL TABLE visits USING kv_collection('["visits"]', day TEXT KEY, n INTEGER KEY,
        page TEXT, score REAL, photo BLOB, credit BIGINT)"""))

meta = MetaData()
meta.reflect(engine, only=["users", "posts", "visits"])
print("columns", [(c.name, str(c.type), c.primary_key) for c in meta.tables["users"].columns])
base = automap_base(metadata=meta)
base.prepare()
User, Post, Visit = base.classes.users, base.classes.posts, base.classes.visits

with Session(engine) as s:
    ada = User(name="Ada", email="ada@x", age=36, joined=datetime.datetime(2024, 5, 1, 10), admin=True, tags=["x"])
    s.add_all([ada, User(name="Bob", email="bob@x", age=40)])
    s.flush()
    s.add(Post(user_id=ada.id, title="hello"))
    s.commit()
    found = s.execute(select(User).where(User.email == "ada@x")).scalar_one()
    print("read", found.id, found.name, found.joined, found.admin, found.tags)
    day = datetime.datetime(2024, 5, 1, 10)
    dates = [User.joined == day, User.joined >= day, User.joined.between(datetime.datetime(2024, 1, 1), day), User.joined.in_([day, datetime.datetime(1990, 1, 1)]),
             User.joined != day, User.joined < day, (User.joined == day) & ((User.age == 36) | (User.email == "z")), User.admin.is_(True), User.tags == ["x"]]
    print("dates", [len(s.execute(select(User.id).where(condition)).all()) for condition in dates])
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
    visits = [Visit(day="d1", n=i, page="/", score=i, photo=bytes([i]), credit=2**60 + i) for i in range(3)]
    s.add_all(visits)
    s.commit()
    visits[2].n, visits[2].page = 7, "/moved"
    s.delete(s.get(Visit, ("d1", 0)))
    s.commit()
    print("composite", inspect(engine).get_pk_constraint("visits")["constrained_columns"],
          [(v.n, v.page, v.score, v.photo, v.credit) for v in s.scalars(select(Visit).order_by(Visit.n))])
    s.execute(insert(User), [dict(name="Cy", age=5), dict(name="Di", age=6), dict(name="Ed", age=60)])
    s.execute(update(User).where(User.age >= 5, User.age <= 10).values(age=User.age + 1, admin=False))
    s.execute(delete(User).where(User.age > 50))
    s.bulk_insert_mappings(User, [dict(name="Fa", age=8)])
    s.merge(User(id=1, name="Ada L."))
    s.commit()
    print("bulk", s.execute(select(User.name, User.age).where(User.admin.is_not(True), User.age.in_([6, 7, 8]))
                            .order_by(User.age.desc()).limit(2)).all(), s.get(User, 1).name)

more = pandas.DataFrame([dict(id=50, name="Pa", age=1, joined=pandas.Timestamp("2024-06-01"), admin=True),
                         dict(id=51, name="Qu", age=None, joined=pandas.NaT, admin=False)])
more.to_sql("users", engine, if_exists="append", index=False)
with engine.begin() as c:
    print("appended", c.execute(text("SELECT kv_js FROM users WHERE id >= 50")).scalars().all())
    c.execute(text("DELETE FROM users WHERE id > 1"))
frame = pandas.read_sql_table("users", engine)
print("frame", frame[["id", "name", "age", "joined"]].values.tolist())
