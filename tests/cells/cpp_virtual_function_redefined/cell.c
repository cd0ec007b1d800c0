struct animal { virtual ~animal() = default; virtual const char *says() const; };
struct cow : animal { const char *says() const override; };
const char *animal::says() const { return "..."; }
const char *cow::says() const { return "moo"; }
animal *pet = new cow;
pet->says()
//---
const char *cow::says() const { return "mooo!"; }
pet->says()
//---
struct dog : animal { const char *says() const override { return "woof"; } };
delete pet;
pet = new dog;
pet->says()
